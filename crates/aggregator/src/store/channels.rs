//! Channels, what each of them was told, and mutes.

use quorate_core::notify::{Key, Told};
use quorate_core::time::Moment;

use super::convert::{bound, moment, ms, number, text, unsigned};
use super::deliveries::{NewDelivery, insert};
use super::error::{Failure, StoreError};
use super::{Store, add, commit_at};

/// A channel as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredChannel {
    /// Its name.
    pub id: String,
    /// No two have the same, also when one takes the name of one that is gone.
    pub number: u64,
    /// What it is, as JSON, with its secrets.
    pub settings: String,
    /// Its beginning is over.
    pub settled: bool,
    /// Up to which event it looked.
    pub through_event: u64,
}

/// What a channel knows of a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldRow {
    /// Of what.
    pub key: Key,
    /// The word, and when.
    pub told: Told,
    /// Since when it stands.
    pub since: Moment,
    /// How it was put into words, as JSON.
    pub item: String,
}

/// What changes in a channel's book, all at once.
#[derive(Debug, Clone, Default)]
pub struct ChannelNews {
    /// The channel.
    pub channel: String,
    /// Its number.
    pub number: u64,
    /// When.
    pub at: Moment,
    /// Its beginning is over.
    pub settled: bool,
    /// Up to which event it looked.
    pub through_event: u64,
    /// What it knows anew or otherwise.
    pub told: Vec<ToldRow>,
    /// What it need not know any more.
    pub forgotten: Vec<Key>,
    /// The message that tells of it.
    pub delivery: Option<NewDelivery>,
}

/// A server that nobody is told of for a while.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mute {
    /// Which.
    pub server: String,
    /// Until when.
    pub until: Moment,
    /// Who muted it.
    pub by: String,
    /// Why.
    pub reason: String,
}

impl Store {
    /// All channels, by id.
    pub async fn channels(&self) -> Result<Vec<StoredChannel>, StoreError> {
        self.call(async {
            let found: Vec<(String, i64, String, i64, i64)> =
                sqlx::query_as("SELECT id, number, settings, settled, through_event FROM channels ORDER BY id")
                    .fetch_all(&self.inner.readers)
                    .await?;
            let channel = |(id, number, settings, settled, through_event)| StoredChannel {
                id,
                number: unsigned(number),
                settings,
                settled: settled != 0,
                through_event: unsigned(through_event),
            };
            Ok(found.into_iter().map(channel).collect())
        })
        .await
    }

    /// Adds a channel, or changes its settings; what it was told stays. A new one looks at no event before now.
    pub async fn put_channel(&self, id: &str, settings: &str, at: Moment) -> Result<(), StoreError> {
        self.write(async {
            let mut tx = self.begin().await?;
            let number = add(&mut tx, "channel", 1).await?;
            sqlx::query(
                "INSERT INTO channels (id, number, settings, settled, through_event) \
                 VALUES ($1, $3, $2, 0, (SELECT value FROM counters WHERE name = 'event')) \
                 ON CONFLICT (id) DO UPDATE SET settings = excluded.settings",
            )
            .bind(id)
            .bind(settings)
            .bind(number)
            .execute(&mut *tx)
            .await?;
            commit_at(tx, at).await?;
            Ok(())
        })
        .await
    }

    /// Removes a channel with all that it was told and all that was on its way; whether it was there.
    pub async fn delete_channel(&self, id: &str) -> Result<bool, StoreError> {
        self.write(async {
            let mut tx = self.begin().await?;
            let gone = sqlx::query("DELETE FROM channels WHERE id = $1").bind(id).execute(&mut *tx).await?;
            sqlx::query("DELETE FROM told WHERE channel = $1").bind(id).execute(&mut *tx).await?;
            sqlx::query("DELETE FROM deliveries WHERE channel = $1").bind(id).execute(&mut *tx).await?;
            tx.commit().await?;
            Ok(gone.rows_affected() > 0)
        })
        .await
    }

    /// What a channel knows.
    pub async fn told(&self, channel: &str) -> Result<Vec<ToldRow>, StoreError> {
        type Row = (String, String, String, String, i64, i64, i64, String);
        self.call(async {
            let found: Vec<Row> = sqlx::query_as(
                "SELECT topic, subject, word, severity, silent, at_ms, since_ms, item FROM told WHERE channel = $1 \
                 ORDER BY topic, subject",
            )
            .bind(channel)
            .fetch_all(&self.inner.readers)
            .await?;
            let row = |(topic, subject, word, severity, silent, at, since, item): Row| {
                let unknown = |_| Failure::corrupt("what was told", format!("'{topic}' or '{severity}' is no word"));
                Ok(ToldRow {
                    key: Key { topic: topic.parse().map_err(unknown)?, subject: subject.into() },
                    told: Told {
                        word: word.into(),
                        severity: severity.parse().map_err(unknown)?,
                        silent: silent != 0,
                        at: moment(at),
                    },
                    since: moment(since),
                    item,
                })
            };
            found.into_iter().map(row).collect()
        })
        .await
    }

    /// Writes what a channel knows together with the message that tells it: both or neither. False, and nothing written,
    /// if the channel is gone.
    pub async fn tell_channel(&self, news: &ChannelNews) -> Result<bool, StoreError> {
        self.write(async {
            let channel = news.channel.as_str();
            let mut tx = self.begin().await?;
            let there =
                sqlx::query("UPDATE channels SET settled = $1, through_event = $2 WHERE id = $3 AND number = $4")
                    .bind(i64::from(news.settled))
                    .bind(bound(news.through_event))
                    .bind(channel)
                    .bind(bound(news.number))
                    .execute(&mut *tx)
                    .await?;
            if there.rows_affected() == 0 {
                return Ok(false);
            }
            for key in &news.forgotten {
                sqlx::query("DELETE FROM told WHERE channel = $1 AND topic = $2 AND subject = $3")
                    .bind(channel)
                    .bind(key.topic.as_str())
                    .bind(text(&key.subject))
                    .execute(&mut *tx)
                    .await?;
            }
            for row in &news.told {
                sqlx::query(
                    "INSERT INTO told (channel, topic, subject, word, severity, silent, at_ms, since_ms, item) \
                     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (channel, topic, subject) DO UPDATE SET \
                     word = excluded.word, severity = excluded.severity, silent = excluded.silent, \
                     at_ms = excluded.at_ms, since_ms = excluded.since_ms, item = excluded.item",
                )
                .bind(channel)
                .bind(row.key.topic.as_str())
                .bind(text(&row.key.subject))
                .bind(text(&row.told.word))
                .bind(row.told.severity.as_str())
                .bind(i64::from(row.told.silent))
                .bind(ms(row.told.at))
                .bind(ms(row.since))
                .bind(row.item.replace('\0', "\u{fffd}"))
                .execute(&mut *tx)
                .await?;
            }
            if let Some(delivery) = &news.delivery {
                insert(&mut tx, delivery).await?;
            }
            commit_at(tx, news.at).await?;
            Ok(true)
        })
        .await
    }

    /// The mutes, by server, also those whose time is over.
    pub async fn mutes(&self) -> Result<Vec<Mute>, StoreError> {
        self.call(async {
            let found: Vec<(String, i64, String, String)> =
                sqlx::query_as("SELECT server, until_ms, muted_by, reason FROM mutes ORDER BY server")
                    .fetch_all(&self.inner.readers)
                    .await?;
            let mute = |(server, until, by, reason)| Mute { server, until: moment(until), by, reason };
            Ok(found.into_iter().map(mute).collect())
        })
        .await
    }

    /// Mutes a server, or changes until when.
    pub async fn put_mute(&self, mute: &Mute) -> Result<(), StoreError> {
        self.write(async {
            sqlx::query(
                "INSERT INTO mutes (server, until_ms, muted_by, reason) VALUES ($1, $2, $3, $4) \
                 ON CONFLICT (server) DO UPDATE SET until_ms = excluded.until_ms, muted_by = excluded.muted_by, \
                 reason = excluded.reason",
            )
            .bind(text(&mute.server))
            .bind(number("the end of a mute", mute.until.as_ms())?)
            .bind(text(&mute.by))
            .bind(text(&mute.reason))
            .execute(&self.inner.writers)
            .await?;
            Ok(())
        })
        .await
    }

    /// Ends a mute; whether there was one.
    pub async fn delete_mute(&self, server: &str) -> Result<bool, StoreError> {
        self.write(async {
            let gone =
                sqlx::query("DELETE FROM mutes WHERE server = $1").bind(server).execute(&self.inner.writers).await?;
            Ok(gone.rows_affected() > 0)
        })
        .await
    }
}
