//! Whoever looks at the pages all the time: every answer of the API while something is done to the fleet.
//!
//! It asks ten times a second. An answer that never should have been is kept; no answer is none, but how long there was
//! none is told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::{AGGREGATOR, API, Fleet};
use crate::clock::pass;
use crate::http;

const ASK_EVERY: Duration = Duration::from_millis(100);

/// A look at the fleet that goes on beside the test.
pub struct Watch {
    over: Arc<AtomicBool>,
    thread: JoinHandle<Seen>,
}

/// All that was answered meanwhile.
#[derive(Debug, Default)]
pub struct Seen {
    /// Answers.
    pub answers: usize,
    /// The longest time without one.
    pub silent_for: Duration,
    /// What was said that should not have been, each once.
    pub wrong: BTreeSet<String>,
}

impl Fleet {
    /// Begins to look. `may` names what a server may be beside `ok`; whoever it does not name must be `ok` in every answer.
    pub fn watch(&self, may: &[(&'static str, &[&'static str])]) -> Watch {
        let may: BTreeMap<&str, Vec<&str>> = may.iter().map(|(id, words)| (*id, words.to_vec())).collect();
        let over = Arc::new(AtomicBool::new(false));
        let (ends, token) = (Arc::clone(&over), self.token.clone());
        let thread = self.lab.namespace(AGGREGATOR).beside(move || {
            let mut seen = Seen::default();
            let mut last = Instant::now();
            while !ends.load(Ordering::Relaxed) {
                let answered = statuses(&token);
                seen.silent_for = seen.silent_for.max(last.elapsed());
                if let Some(statuses) = answered {
                    seen.answers += 1;
                    last = Instant::now();
                    let wrong = statuses.into_iter().filter(|(id, status)| {
                        may.get(id.as_str()).map_or(status != "ok", |words| !words.contains(&status.as_str()))
                    });
                    seen.wrong.extend(wrong.map(|(id, status)| format!("{id} is {status}")));
                }
                pass(ASK_EVERY);
            }
            seen
        });
        Watch { over, thread }
    }
}

impl Watch {
    /// Ends it.
    pub fn end(self) -> Seen {
        self.over.store(true, Ordering::Relaxed);
        self.thread.join().expect("a look that fails is no answer")
    }
}

fn statuses(token: &str) -> Option<Vec<(String, String)>> {
    let answer =
        http::get(API, "/api/v1/servers?limit=1000", Some(token)).ok().filter(|answer| answer.status == 200)?;
    let list: Value = serde_json::from_slice(&answer.body).ok()?;
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Some(list["items"].as_array()?.iter().map(|row| (word(&row["id"]), word(&row["status"]))).collect())
}
