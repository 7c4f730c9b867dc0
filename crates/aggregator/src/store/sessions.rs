//! Sessions of agents: who was connected from where, from when to when, and why it ended.

use quorate_core::time::Moment;

use super::convert::{moment, ms, number, rows, text, unsigned};
use super::error::StoreError;
use super::{Store, add, commit_at};

/// A session that begins.
#[derive(Debug, Clone)]
pub struct NewSession {
    /// Whose, by its certificate.
    pub server: String,
    /// The socket's other end, as measured.
    pub peer_addr: String,
    /// The edge that it came through; none if it came straight.
    pub edge: Option<String>,
    /// Whose connection the edge says it is.
    pub claimed_addr: Option<String>,
    /// What the agent calls its version.
    pub agent_version: String,
    /// When.
    pub opened_at: Moment,
}

/// A session as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Grows with each session.
    pub id: u64,
    /// Whose.
    pub server: String,
    /// The socket's other end, as measured.
    pub peer_addr: String,
    /// The edge that it came through; none if it came straight.
    pub edge: Option<String>,
    /// Whose connection the edge says it is.
    pub claimed_addr: Option<String>,
    /// What the agent calls its version.
    pub agent_version: String,
    /// When it began.
    pub opened_at: Moment,
    /// When it ended; none while it lasts.
    pub closed_at: Option<Moment>,
    /// Why it ended.
    pub reason: Option<String>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    server: String,
    peer_addr: String,
    edge: Option<String>,
    claimed_addr: Option<String>,
    agent_version: String,
    opened_at_ms: i64,
    closed_at_ms: Option<i64>,
    reason: Option<String>,
}

impl Store {
    /// Records the beginning of a session and gives it its id.
    pub async fn open_session(&self, session: &NewSession) -> Result<u64, StoreError> {
        self.write(async {
            let mut tx = self.begin().await?;
            let id = add(&mut tx, "session", 1).await?;
            sqlx::query(
                "INSERT INTO sessions (id, server, peer_addr, edge, claimed_addr, agent_version, opened_at_ms) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
            )
            .bind(id)
            .bind(text(&session.server))
            .bind(text(&session.peer_addr))
            .bind(session.edge.as_deref().map(text))
            .bind(session.claimed_addr.as_deref().map(text))
            .bind(text(&session.agent_version))
            .bind(ms(session.opened_at))
            .execute(&mut *tx)
            .await?;
            commit_at(tx, session.opened_at).await?;
            Ok(unsigned(id))
        })
        .await
    }

    /// Records the end of a session; the first end stays.
    pub async fn close_session(&self, id: u64, closed_at: Moment, reason: &str) -> Result<(), StoreError> {
        self.call(async {
            let mut tx = self.begin().await?;
            sqlx::query("UPDATE sessions SET closed_at_ms = $1, reason = $2 WHERE id = $3 AND closed_at_ms IS NULL")
                .bind(ms(closed_at))
                .bind(text(reason))
                .bind(number("session id", id)?)
                .execute(&mut *tx)
                .await?;
            commit_at(tx, closed_at).await?;
            Ok(())
        })
        .await
    }

    /// Ends all sessions that a process which died has left open. Returns how many.
    pub async fn close_left_sessions(&self, closed_at: Moment, reason: &str) -> Result<u64, StoreError> {
        self.call(async {
            let closed = sqlx::query("UPDATE sessions SET closed_at_ms = $1, reason = $2 WHERE closed_at_ms IS NULL")
                .bind(ms(closed_at))
                .bind(text(reason))
                .execute(&self.inner.writers)
                .await?;
            Ok(closed.rows_affected())
        })
        .await
    }

    /// The last sessions of a server, newest first.
    pub async fn sessions(&self, server: &str, limit: usize) -> Result<Vec<Session>, StoreError> {
        self.call(async {
            let found: Vec<Row> = sqlx::query_as(
                "SELECT id, server, peer_addr, edge, claimed_addr, agent_version, opened_at_ms, closed_at_ms, reason \
                 FROM sessions WHERE server = $1 ORDER BY id DESC LIMIT $2",
            )
            .bind(server)
            .bind(rows(limit))
            .fetch_all(&self.inner.readers)
            .await?;
            Ok(found.into_iter().map(session).collect())
        })
        .await
    }
}

fn session(row: Row) -> Session {
    Session {
        id: unsigned(row.id),
        server: row.server,
        peer_addr: row.peer_addr,
        edge: row.edge,
        claimed_addr: row.claimed_addr,
        agent_version: row.agent_version,
        opened_at: moment(row.opened_at_ms),
        closed_at: row.closed_at_ms.map(moment),
        reason: row.reason,
    }
}
