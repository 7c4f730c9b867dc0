//! How a Rust file looks from outside: a header, a bounded length, nothing left open.

use super::Finding;
use super::exceptions::{self, LONG};
use super::source::Source;

/// Beyond this a file is worth splitting; counted without blank lines and comments.
const LINES_GROWING: usize = 400;
/// Beyond this it must be, or be excepted with a reason.
const LINES_MAX: usize = 500;

/// A reader learns from the first line what the file decides. A crate's tests are about the
/// module that they lie beside.
pub fn header(source: &Source) -> Vec<Finding> {
    let opens = source.text.starts_with("//!") || source.text.starts_with("#!/");
    let is_beside = source.is_test() && !source.is_of_tests();
    if !source.is_rust() || opens || is_beside {
        return Vec::new();
    }
    vec![source.finding(1, "the file opens with a //! header: what it decides, and what is always true")]
}

/// No file outgrows a reader. Tests may: they are read one at a time.
pub fn length(source: &Source) -> Vec<Finding> {
    let lines = source.code().count();
    if !source.is_rust() || source.is_test() || lines <= LINES_MAX || exceptions::has(LONG, &source.path) {
        return Vec::new();
    }
    let what = format!("{lines} lines of Rust, more than {LINES_MAX}: split by what its parts decide");
    vec![source.finding(1, what)]
}

/// A file on its way to the limit.
pub fn growing(source: &Source) -> Option<Finding> {
    let lines = source.code().count();
    let grows = source.is_rust() && !source.is_test() && lines > LINES_GROWING && lines <= LINES_MAX;
    grows.then(|| source.finding(1, format!("{lines} lines of Rust: at {LINES_MAX} it must be split")))
}

/// What is not done is not called done.
pub fn unfinished(source: &Source) -> Vec<Finding> {
    if !source.is_rust() || source.path.starts_with("crates/xtask/src/tidy/") {
        return Vec::new();
    }
    source.words(&["todo!", "unimplemented!"], "finish it, or leave it out")
}
