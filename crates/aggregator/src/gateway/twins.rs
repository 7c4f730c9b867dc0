//! Two machines with one identity: a data directory that was copied, or a machine that was cloned with it. Both count their
//! reports alike, so each hides the other's, and which one is heard is chance.
//!
//! An agent has one session at a time. What an older session still says when a newer one begins was under way; who goes on
//! speaking in it is somebody else.

use std::time::Duration;

use quorate_core::time::Moment;

/// The event about it.
pub(super) const IDENTITY_TWICE: &str = "identity_twice";

/// How long the last words of a session may be under way: a path that was dead for a while delivers them late.
const UNDER_WAY_MAX: Duration = Duration::from_secs(30);

/// Whether a session that speaks at `now` is somebody else's than the one which began after it, at `newer_since`.
pub(super) fn is_twin(newer_since: Moment, now: Moment) -> bool {
    now.since(newer_since) >= UNDER_WAY_MAX
}

/// What an operator is told.
pub(super) fn sentence(server: &str, this: &str, other: &str) -> String {
    format!(
        "Two machines use the identity of '{server}', one by {this}, one by {other}, and hide each other's reports: stop the \
         agent on the one that is not {server}, or revoke {server} and enrol it again."
    )
}
