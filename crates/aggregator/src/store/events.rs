//! Events: what was told to people, in order.

use quorate_core::time::Moment;

use super::convert::{bound, ms, number, rows, text, unsigned};
use super::error::StoreError;
use super::{Store, commit_at, raise, remember};
use crate::event::Event;

/// Which events.
#[derive(Debug, Clone, Default)]
pub struct EventQuery {
    /// Behind this id, oldest first.
    pub after: Option<u64>,
    /// Before this id; newest first unless `after` is given.
    pub before: Option<u64>,
    /// Of this server, entry point, route or country.
    pub subject: Option<String>,
    /// Of this kind.
    pub kind: Option<String>,
    /// How many at most.
    pub limit: usize,
}

type Row = (i64, i64, String, String, Option<String>, Option<String>, String);

const OLDEST_FIRST: &str = "SELECT id, at_ms, kind, subject, from_word, to_word, reason FROM events WHERE id > $1 AND \
    id < $2 AND ($3 = '' OR subject = $3) AND ($4 = '' OR kind = $4) ORDER BY id LIMIT $5";

const NEWEST_FIRST: &str = "SELECT id, at_ms, kind, subject, from_word, to_word, reason FROM events WHERE id > $1 AND \
    id < $2 AND ($3 = '' OR subject = $3) AND ($4 = '' OR kind = $4) ORDER BY id DESC LIMIT $5";

impl Store {
    /// Appends events, all or none. Ids are given by the caller and grow; an event whose id was given before is there
    /// already, because a call whose answer was lost is made again. `fact` is remembered with them (see [`Store::meta`]): what
    /// was told and that it was told are one thing.
    pub async fn append_events(&self, events: &[Event], fact: Option<(&str, &str)>) -> Result<(), StoreError> {
        let (Some(last), Some(at_ms)) =
            (events.iter().map(|event| event.id).max(), events.iter().map(|event| event.at_ms).max())
        else {
            return Ok(());
        };
        self.call(async {
            let last = number("event id", last)?;
            let mut tx = self.begin().await?;
            for event in events {
                sqlx::query(
                    "INSERT INTO events (id, at_ms, kind, subject, from_word, to_word, reason) \
                     VALUES ($1, $2, $3, $4, $5, $6, $7) \
                     ON CONFLICT (id) DO NOTHING",
                )
                .bind(number("event id", event.id)?)
                .bind(number("event time", event.at_ms)?)
                .bind(text(&event.kind))
                .bind(text(&event.subject))
                .bind(event.from.as_deref().map(text))
                .bind(event.to.as_deref().map(text))
                .bind(text(&event.reason))
                .execute(&mut *tx)
                .await?;
            }
            if let Some((name, value)) = fact {
                remember(&mut tx, name, value).await?;
            }
            raise(&mut tx, "event", last).await?;
            commit_at(tx, Moment::from_ms(at_ms)).await?;
            Ok(())
        })
        .await
    }

    /// The highest id ever given, also when that event was pruned; zero if none was.
    pub async fn last_event_id(&self) -> Result<u64, StoreError> {
        self.call(async {
            let value: i64 = sqlx::query_scalar("SELECT value FROM counters WHERE name = 'event'")
                .fetch_one(&self.inner.readers)
                .await?;
            Ok(unsigned(value))
        })
        .await
    }

    /// At most `limit` events behind `after` of `from` up to and including `to`, in order.
    pub async fn events_between(
        &self,
        from: Moment,
        to: Moment,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Event>, StoreError> {
        self.call(async {
            let found: Vec<Row> = sqlx::query_as(
                "SELECT id, at_ms, kind, subject, from_word, to_word, reason FROM events \
                 WHERE id > $1 AND at_ms >= $2 AND at_ms <= $3 ORDER BY id LIMIT $4",
            )
            .bind(bound(after))
            .bind(ms(from))
            .bind(ms(to))
            .bind(rows(limit))
            .fetch_all(&self.inner.readers)
            .await?;
            Ok(found.into_iter().map(event).collect())
        })
        .await
    }

    /// Events that fit the query.
    pub async fn events(&self, query: EventQuery) -> Result<Vec<Event>, StoreError> {
        self.call(async {
            let statement = if query.after.is_some() { OLDEST_FIRST } else { NEWEST_FIRST };
            let found: Vec<Row> = sqlx::query_as(statement)
                .bind(bound(query.after.unwrap_or(0)))
                .bind(bound(query.before.unwrap_or(u64::MAX)))
                .bind(query.subject.as_deref().map(text).unwrap_or_default())
                .bind(query.kind.as_deref().map(text).unwrap_or_default())
                .bind(rows(query.limit))
                .fetch_all(&self.inner.readers)
                .await?;
            Ok(found.into_iter().map(event).collect())
        })
        .await
    }
}

fn event((id, at_ms, kind, subject, from, to, reason): Row) -> Event {
    Event { id: unsigned(id), at_ms: unsigned(at_ms), kind, subject, from, to, reason }
}
