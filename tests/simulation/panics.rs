//! Panics on this thread: a task's panic ends the task alone, and must not stay unseen.

use std::cell::RefCell;
use std::panic;
use std::sync::Once;

thread_local! {
    static SEEN: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Begins to listen.
pub fn forget() {
    static LISTEN: Once = Once::new();
    LISTEN.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            SEEN.with_borrow_mut(|seen| {
                seen.get_or_insert_with(|| panic.to_string());
            });
            before(panic);
        }));
    });
    SEEN.take();
}

/// The first panic since then.
pub fn seen() -> Option<String> {
    SEEN.take()
}
