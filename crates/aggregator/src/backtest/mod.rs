//! Back-tests: the archive folded under the policy that was in force and, beside it, under another one; and what would
//! have been different, in plain words.
//!
//! [`policy`] says what may be tried, [`run`] folds both worlds from the same reports, [`timeline`] notes what each said,
//! [`compare`] finds the differences, [`words`] says them, [`jobs`] runs one at a time. Only what is decided from reports
//! can be tried: what agents were told to do, they did.

pub mod compare;
pub mod findings;
pub mod jobs;
pub mod policy;
pub mod run;
pub mod timeline;
pub mod words;

pub use findings::BacktestResult;
pub use jobs::{Backtests, Busy};
pub use run::{BacktestError, Order};
