//! Bounds of what the aggregator keeps and takes in, each with its reason. Those of the gateway's connections are in
//! [`crate::gateway::limits`].

use std::time::Duration;

/// Largest report as it comes over the wire: ten thousand targets with latencies take a tenth of it.
pub const REPORT_BYTES_MAX: usize = quorate_proto::REPORT_BYTES_MAX;

/// Longest id of an outbox, which is part of a database key; agents use 16 random bytes.
pub const OUTBOX_ID_BYTES_MAX: usize = 32;

/// How many outboxes of one server have their highest sequence remembered, beside those with archived reports. An agent
/// begins a new one when its disk was lost, so the second is rare and the sixteenth comes from one that runs in a circle.
pub const OUTBOXES_PER_SERVER_MAX: i64 = 16;

/// Longest text of a person's or peer's making in a row (reasons, versions, addresses); the rest is cut off.
pub const TEXT_BYTES_MAX: usize = 4096;

/// Longest wait for a free database connection. A database that is restarting comes back within this; after it the
/// report is refused, and the agent's outbox keeps it.
pub const STORE_ACQUIRE_MAX: Duration = Duration::from_secs(5);

/// Longest time for one call of the store, connection included: a database behind a dead link must not hang a session.
pub const STORE_CALL_MAX: Duration = Duration::from_secs(20);

/// Connections to PostgreSQL from one aggregator: its default of 100 then serves several aggregators and a person.
pub const POSTGRES_CONNECTIONS_MAX: u32 = 8;

/// Readers of SQLite beside the one writer: readers do not wait for it in WAL mode, and two cores need no more.
pub const SQLITE_READERS_MAX: u32 = 4;

/// Reports removed in one transaction by retention: short enough that a report that comes in meanwhile hardly waits.
pub const PRUNE_STEP_ROWS: i64 = 500;

/// Pages of 4 KiB that SQLite gives back to the file system after each step of retention: 64 MiB.
pub const VACUUM_STEP_PAGES: u32 = 16_384;

/// Rows held in memory at a time while a database is copied; of reports at most this many MiB.
pub const COPY_STEP_ROWS: i64 = 100;

/// What a row of the archive costs beside its payload, in bytes, counted for retention by size.
pub const REPORT_ROW_BYTES: u64 = 160;

/// Events kept, newest first: at one a minute more than two months.
pub const EVENTS_KEPT: i64 = 100_000;

/// Audit rows kept, newest first: changes by people are rare.
pub const AUDIT_KEPT: i64 = 100_000;

/// Longest JSON of what was before a change, or is after it, in the audit: a server with a hundred entry points. A fleet
/// file that changes thousands at once is in a version control of its own.
pub const AUDIT_JSON_BYTES_MAX: usize = 32 * 1024;

/// Messages kept, newest first, whatever became of them: a month of a bad one an hour on a dozen channels.
pub const DELIVERIES_KEPT: i64 = 10_000;

/// How long a mute is kept after its end: whoever wonders why nothing was told still finds it.
pub const ENDED_MUTES_KEPT: Duration = Duration::from_hours(24 * 30);

/// Sessions kept, newest first: 1,000 servers that reconnect once a day fill it in three months.
pub const SESSIONS_KEPT: i64 = 100_000;

/// How long the status history goes back.
pub const STATUS_HISTORY_KEPT: Duration = Duration::from_hours(24 * 400);

/// How long a plan or inventory is kept after it was replaced, beside those that archived reports need: an agent that was
/// cut off sends reports of older plans when it comes back.
pub const REPLACED_DOCUMENTS_KEPT: Duration = Duration::from_hours(24 * 7);

/// How long the highest sequence of a silent outbox is remembered when its reports were pruned: longer than any server
/// stands in a rack unplugged.
pub const SILENT_OUTBOXES_KEPT: Duration = Duration::from_hours(24 * 400);

/// How long a certificate is kept after it expired, so that its agent is told "expired" and not "unknown".
pub const EXPIRED_CERTIFICATES_KEPT: Duration = Duration::from_hours(24 * 100);

/// How long an enrolment is kept after its token expired, so that a late user is told "expired" and not "unknown".
pub const EXPIRED_ENROLMENTS_KEPT: Duration = Duration::from_hours(24 * 30);

/// A cookie that nobody uses for so long ends: longer than a working day with its breaks, shorter than the night after it
/// and the way to work, so that a browser left open somewhere is shut out by the morning. A page that is open uses it.
pub const SIGN_IN_IDLE_MAX: Duration = Duration::from_hours(12);

/// A cookie ends after so long, used or not: a screen on a wall is signed in anew once a week, and a stolen cookie that is
/// kept in use is worth no more than that.
pub const SIGN_IN_MAX: Duration = Duration::from_hours(24 * 7);

/// Most sign-ins with one token: a few browsers of each of those who share it. Whoever signs in over and over pushes out
/// his own alone.
pub const SIGN_INS_PER_TOKEN_MAX: i64 = 32;
