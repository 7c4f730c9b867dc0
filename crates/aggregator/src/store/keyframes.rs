//! Keyframes: the folded state as it was at some moments, as in a film: what lies between two of them is found by folding
//! the reports that came meanwhile.

use quorate_core::time::Moment;

use super::convert::{moment, ms, number, unsigned};
use super::error::{Failure, StoreError};
use super::{Store, commit_at};

/// The folded state at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keyframe {
    /// When.
    pub at: Moment,
    /// Id of the last report in it.
    pub through: u64,
    /// The inventory that it belongs to.
    pub inventory_version: u64,
    /// When the aggregator had begun to listen, or resumed (R6).
    pub started_at: Moment,
    /// If the aggregator was away just before, stopped or paused: since when.
    pub silent_since: Option<Moment>,
    /// The state, as its owner writes it.
    pub state: Vec<u8>,
}

/// A time in which the aggregator was away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Absence {
    /// The last moment before.
    pub since: Moment,
    /// When it was back.
    pub until: Moment,
}

type Row = (i64, i64, i64, i64, Option<i64>, Vec<u8>);

impl Store {
    /// Stores a keyframe; one of the same moment gives way.
    pub async fn save_keyframe(&self, keyframe: &Keyframe) -> Result<(), StoreError> {
        self.call(async {
            let mut tx = self.begin().await?;
            sqlx::query(
                "INSERT INTO keyframes (at_ms, through_report, inventory_version, started_at_ms, silent_since_ms, state) \
                 VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (at_ms) DO UPDATE SET \
                 through_report = excluded.through_report, inventory_version = excluded.inventory_version, \
                 started_at_ms = excluded.started_at_ms, silent_since_ms = excluded.silent_since_ms, \
                 state = excluded.state",
            )
            .bind(ms(keyframe.at))
            .bind(number("report id", keyframe.through)?)
            .bind(number("inventory version", keyframe.inventory_version)?)
            .bind(ms(keyframe.started_at))
            .bind(keyframe.silent_since.map(ms))
            .bind(keyframe.state.as_slice())
            .execute(&mut *tx)
            .await?;
            commit_at(tx, keyframe.at).await?;
            Ok(())
        })
        .await
    }

    /// The newest keyframe at or before `at` from which all later reports are still archived.
    pub async fn keyframe_before(&self, at: Moment) -> Result<Option<Keyframe>, StoreError> {
        self.call(async {
            let row: Option<Row> = sqlx::query_as(
                "SELECT at_ms, through_report, inventory_version, started_at_ms, silent_since_ms, state FROM keyframes \
                 WHERE at_ms <= $1 AND through_report + 1 >= (SELECT COALESCE(MIN(id), 0) FROM reports) \
                 ORDER BY at_ms DESC LIMIT 1",
            )
            .bind(ms(at))
            .fetch_optional(&self.inner.readers)
            .await?;
            Ok(row.map(|(at, through, inventory_version, started_at, silent_since, state)| Keyframe {
                at: moment(at),
                through: unsigned(through),
                inventory_version: unsigned(inventory_version),
                started_at: moment(started_at),
                silent_since: silent_since.map(moment),
                state,
            }))
        })
        .await
    }

    /// When the aggregator was away in `from..=to`, in order; an absence that began before or ended after is among them.
    pub async fn absences(&self, from: Moment, to: Moment) -> Result<Vec<Absence>, StoreError> {
        self.call(async {
            let found: Vec<(i64, i64)> = sqlx::query_as(
                "SELECT silent_since_ms, at_ms FROM keyframes \
                 WHERE at_ms > $1 AND silent_since_ms IS NOT NULL AND silent_since_ms <= $2 ORDER BY at_ms",
            )
            .bind(ms(from))
            .bind(ms(to))
            .fetch_all(&self.inner.readers)
            .await?;
            let absence = |(since, until)| Absence { since: moment(since), until: moment(until) };
            Ok::<_, Failure>(found.into_iter().map(absence).collect())
        })
        .await
    }
}
