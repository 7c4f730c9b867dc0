//! How an agent reaches the aggregator: which of the gateway's addresses a session goes through, and when it changes.
//!
//! A commuter with several bridges over a river. They have timed them all once, keep the list in a pocket, and take the
//! quickest. If it is closed they take the next, look now and then whether it is open again, and go back when it was
//! open twice. Once in a while they time them all anew; for half a minute's gain nobody changes their way.
//!
//! **Choice never becomes a failure.** A resolver that fails, a measurement that nobody answers, a memory that cannot be
//! read or written: each ends in "no choice", and the agent dials the addresses in turn, exactly as if none of this
//! existed. Nothing here is waited for before a session: all measuring is done beside a live one.
//!
//! # The order of calls
//!
//! ```text
//! chooser = Chooser::new(memory, timing, seed, now, wall)
//! loop {
//!     resolve the gateway's name; handle_resolved(…)          before every attempt
//!     dial as connect_order() says                            nothing known: "the name has no address"
//!     no session: wait Backoff::handle_ended(Error), begin anew
//!     handle_opened(address)
//!     loop while the session is up {
//!         poll_memory(now, wall)  → to be written, if something changed
//!         poll_duty()             → until there is none; several may be under way at once
//!         wait until poll_timeout(), an answer to a duty, or the end of the session
//!         handle_tick | handle_resolved | handle_measured | handle_probed
//!     }
//!     handle_ended(…); poll_memory(now, wall); wait Backoff::handle_ended(…)
//! }
//! ```
//!
//! Each `Resolve`, `Measure` and `Probe` is answered by its `handle_*` once, however it went, unless the session ends
//! first; a `Move` is answered by the end of the session. `now` comes from a clock that goes on while the machine is
//! suspended and never jumps; `wall` only dates what is remembered.
//!
//! # The set
//!
//! The set of addresses that the name resolves to, of both families, is the list of edges ([`Resolution`]). If the
//! resolver fails or knows none, the last good set stays for a week. An address in use that is missing from two fresh sets
//! in a row is left by a planned move (`edge_removed`), without thresholds and at once: to retire an edge takes a change in
//! DNS. A name server that hands out a part of the addresses at a time is not supported: it retires edges all the time.
//!
//! # Rounds
//!
//! Beside a live session there is a round every five minutes, with full jitter. Usually it tries the edges that come
//! before the current one, those that fail, and the current one to compare. It measures all of them anew when the last
//! such measurement is six hours old, was made on another set, or wants to be confirmed. With fewer than two addresses
//! there are no rounds.
//!
//! - Who comes before the current edge and is good in two rounds in a row is gone back to (`edge_return`). Good is an
//!   answer that is not clearly slower than the current edge's. One answer may be an edge that has just restarted.
//! - Who comes behind it and is nearer by 20 ms **and** 25 % in two full measurements in a row is moved to
//!   (`edge_better`), after ten minutes on the current edge at the earliest.
//! - Ten minutes lie between any two moves, but for a forced one. **No failed probe ever ends a live session.**
//!
//! Who comes before whom, and why equal edges do not swap places, is the `ranking`'s business.
//!
//! Rejected: measuring before the first session. It would find the best edge ten minutes earlier, once in an agent's life,
//! and put nine seconds of dead edges before every attempt of an agent that has no memory.

mod backoff;
mod chooser;
pub mod explain;
mod memory;
mod ranking;
mod set;
mod since;
mod times;
mod timing;

#[cfg(test)]
mod tests;

pub use backoff::{Backoff, Ended};
pub use chooser::{Chooser, ConnectOrder, Dial, Duty, Move};
pub use memory::{Memory, MoveReason, Ranked, Seat, Why};
pub use ranking::{CANDIDATES_MAX, ROUNDS_NEEDED};
pub use set::{ADDRESSES_MAX, Resolution};
pub use times::{GAIN_LEAST, GAIN_PERCENT_LEAST, Gain, PROBE_BUDGET, SAMPLES, Times, best_of};
pub use timing::Timing;
