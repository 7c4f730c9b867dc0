//! Deliveries: messages on their way, those that arrived, and those that were given up.

use quorate_core::time::Moment;
use sqlx::{Any, Transaction};

use super::convert::{bound, moment, ms, rows, text, unsigned};
use super::error::{Failure, StoreError};
use super::{Store, add, commit_at};

/// Where a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// On its way.
    Waiting,
    /// The other side took it.
    Sent,
    /// Given up; it can be sent again by hand.
    Dead,
}

impl DeliveryState {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Waiting, Self::Sent, Self::Dead];

    /// The word used in outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Sent => "sent",
            Self::Dead => "dead",
        }
    }
}

/// A message that is to be sent.
#[derive(Debug, Clone)]
pub struct NewDelivery {
    /// What the other side knows it by, however often it is sent.
    pub name: String,
    /// To where.
    pub channel: String,
    /// When it was written.
    pub made_at: Moment,
    /// The message, as JSON.
    pub message: String,
}

/// A message and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Grows with each message.
    pub id: u64,
    /// What the other side knows it by.
    pub name: String,
    /// To where.
    pub channel: String,
    /// Where it is.
    pub state: DeliveryState,
    /// When it was written.
    pub made_at: Moment,
    /// When it is tried next, while it waits.
    pub due_at: Moment,
    /// How often it was tried.
    pub attempts: u64,
    /// When it arrived or was given up.
    pub ended_at: Option<Moment>,
    /// What the other side said last.
    pub said: Option<String>,
    /// The message, as JSON.
    pub message: String,
}

/// What became of one attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Of which delivery.
    pub id: u64,
    /// When.
    pub at: Moment,
    /// Where it is after that.
    pub state: DeliveryState,
    /// When it is tried next, if it waits.
    pub due_at: Moment,
    /// What the other side said.
    pub said: String,
}

type Row = (i64, String, String, String, i64, i64, i64, Option<i64>, Option<String>, String);

const COLUMNS: &str = "id, name, channel, state, made_at_ms, due_at_ms, attempts, ended_at_ms, said, message";

impl Store {
    /// Deliveries, newest first; those before `older_than`, of one state and channel, where that is given.
    pub async fn deliveries(
        &self,
        state: Option<DeliveryState>,
        channel: Option<&str>,
        older_than: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Delivery>, StoreError> {
        self.call(async {
            let statement = format!(
                "SELECT {COLUMNS} FROM deliveries WHERE id < $1 AND ($2 = '' OR state = $2) AND \
                 ($3 = '' OR channel = $3) ORDER BY id DESC LIMIT $4"
            );
            let found: Vec<Row> = sqlx::query_as(sqlx::AssertSqlSafe(statement))
                .bind(bound(older_than.unwrap_or(u64::MAX)))
                .bind(state.map_or("", DeliveryState::as_str))
                .bind(channel.unwrap_or_default())
                .bind(rows(limit))
                .fetch_all(&self.inner.readers)
                .await?;
            found.into_iter().map(delivery).collect()
        })
        .await
    }

    /// One delivery, if it is still kept.
    pub async fn delivery(&self, id: u64) -> Result<Option<Delivery>, StoreError> {
        self.call(async {
            let statement = format!("SELECT {COLUMNS} FROM deliveries WHERE id = $1");
            let found: Option<Row> = sqlx::query_as(sqlx::AssertSqlSafe(statement))
                .bind(bound(id))
                .fetch_optional(&self.inner.readers)
                .await?;
            found.map(delivery).transpose()
        })
        .await
    }

    /// The oldest that waits on a channel: messages arrive in the order in which they were written.
    pub async fn next_delivery(&self, channel: &str) -> Result<Option<Delivery>, StoreError> {
        self.call(async {
            let statement = format!(
                "SELECT {COLUMNS} FROM deliveries WHERE state = 'waiting' AND channel = $1 ORDER BY id LIMIT 1"
            );
            let found: Option<Row> = sqlx::query_as(sqlx::AssertSqlSafe(statement))
                .bind(channel)
                .fetch_optional(&self.inner.readers)
                .await?;
            found.map(delivery).transpose()
        })
        .await
    }

    /// Writes down what became of an attempt.
    pub async fn note_attempt(&self, attempt: &Attempt) -> Result<(), StoreError> {
        self.write(async {
            let ended = (attempt.state != DeliveryState::Waiting).then(|| ms(attempt.at));
            let mut tx = self.begin().await?;
            sqlx::query(
                "UPDATE deliveries SET state = $1, due_at_ms = $2, attempts = attempts + 1, ended_at_ms = $3, said = $4 \
                 WHERE id = $5 AND state = 'waiting'",
            )
            .bind(attempt.state.as_str())
            .bind(ms(attempt.due_at))
            .bind(ended)
            .bind(text(&attempt.said))
            .bind(bound(attempt.id))
            .execute(&mut *tx)
            .await?;
            commit_at(tx, attempt.at).await?;
            Ok(())
        })
        .await
    }

    /// Sends a delivery again, under its name; false if there is no such one, or it is on its way.
    pub async fn redeliver(&self, id: u64, now: Moment) -> Result<bool, StoreError> {
        self.write(async {
            let again = sqlx::query(
                "UPDATE deliveries SET state = 'waiting', due_at_ms = $1, attempts = 0, ended_at_ms = NULL \
                 WHERE id = $2 AND state <> 'waiting'",
            )
            .bind(ms(now))
            .bind(bound(id))
            .execute(&self.inner.writers)
            .await?;
            Ok(again.rows_affected() > 0)
        })
        .await
    }

    /// Gives up the oldest of those that wait on a channel, so that at most `most` wait.
    pub async fn shed_deliveries(&self, channel: &str, most: usize, now: Moment) -> Result<u64, StoreError> {
        self.write(async {
            let shed = sqlx::query(
                "UPDATE deliveries SET state = 'dead', ended_at_ms = $1, \
                 said = 'given up: too many wait on this channel' \
                 WHERE state = 'waiting' AND channel = $2 AND id <= (SELECT COALESCE(MAX(id), 0) FROM \
                 (SELECT id FROM deliveries WHERE state = 'waiting' AND channel = $2 ORDER BY id DESC LIMIT 1 OFFSET $3) beyond)",
            )
            .bind(ms(now))
            .bind(channel)
            .bind(rows(most))
            .execute(&self.inner.writers)
            .await?;
            Ok(shed.rows_affected())
        })
        .await
    }

    /// How many messages of each channel and state there are.
    pub async fn count_deliveries(&self) -> Result<Vec<(String, DeliveryState, u64)>, StoreError> {
        self.call(async {
            let found: Vec<(String, String, i64)> =
                sqlx::query_as("SELECT channel, state, COUNT(*) FROM deliveries GROUP BY channel, state")
                    .fetch_all(&self.inner.readers)
                    .await?;
            found.into_iter().map(|(channel, word, count)| Ok((channel, state(&word)?, unsigned(count)))).collect()
        })
        .await
    }
}

/// Puts a message on its way.
pub(super) async fn insert(tx: &mut Transaction<'static, Any>, new: &NewDelivery) -> Result<(), Failure> {
    let id = add(tx, "delivery", 1).await?;
    sqlx::query(
        "INSERT INTO deliveries (id, name, channel, state, made_at_ms, due_at_ms, attempts, message) \
         VALUES ($1, $2, $3, 'waiting', $4, $4, 0, $5)",
    )
    .bind(id)
    .bind(new.name.as_str())
    .bind(new.channel.as_str())
    .bind(ms(new.made_at))
    .bind(new.message.replace('\0', "\u{fffd}"))
    .execute(&mut **tx)
    .await?;
    Ok(())
}

fn state(word: &str) -> Result<DeliveryState, Failure> {
    let found = DeliveryState::ALL.into_iter().find(|state| state.as_str() == word);
    found.ok_or_else(|| Failure::corrupt("a delivery", format!("'{word}' is no state")))
}

fn delivery(
    (id, name, channel, word, made_at, due_at, attempts, ended_at, said, message): Row,
) -> Result<Delivery, Failure> {
    Ok(Delivery {
        id: unsigned(id),
        name,
        channel,
        state: state(&word)?,
        made_at: moment(made_at),
        due_at: moment(due_at),
        attempts: unsigned(attempts),
        ended_at: ended_at.map(moment),
        said,
        message,
    })
}
