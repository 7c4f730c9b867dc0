#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

//! What holds of a desk over any history: of troubles, of gates, of restarts and of writes that fail.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec::Vec;

use proptest::collection::vec;
use proptest::prelude::*;

use super::{PACE, at, key};
use crate::notify::{Desk, Gate, Key, Severity, Standing};
use crate::time::Moment;

const SUBJECTS: [&str; 3] = ["a", "b", "c"];
const WORDS: [&str; 3] = ["", "unreachable", "blocked"];

/// One thing that happens.
#[derive(Debug, Clone)]
enum Step {
    /// So many seconds go by.
    Wait(u64),
    /// A subject has this word.
    Word(usize, usize),
    /// What may be told of a subject.
    Gate(usize, Gate),
    /// The process is started again, and hears everybody only later.
    Restart,
    /// What is seen is believed.
    Believe,
    /// The next message cannot be written down.
    StoreFails,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0_u64..90).prop_map(Step::Wait),
        8 => (0..SUBJECTS.len(), 0..WORDS.len()).prop_map(|(subject, word)| Step::Word(subject, word)),
        2 => (0..SUBJECTS.len(), prop_oneof![Just(Gate::Open), Just(Gate::Held), Just(Gate::Unwanted)])
            .prop_map(|(subject, gate)| Step::Gate(subject, gate)),
        1 => Just(Step::Restart),
        2 => Just(Step::Believe),
        1 => Just(Step::StoreFails),
    ]
}

/// A desk and a reader, who knows nothing but messages.
struct World {
    desk: Desk,
    now: u64,
    words: [usize; 3],
    gates: [Gate; 3],
    believed: bool,
    store_fails: bool,
    /// What the reader takes to stand.
    reader: BTreeMap<Key, Arc<str>>,
    last: BTreeMap<Key, Moment>,
    messages: Vec<Moment>,
}

impl World {
    fn new(words: [usize; 3]) -> Self {
        Self {
            desk: Desk::new(PACE),
            now: 0,
            words,
            gates: [Gate::Open; 3],
            believed: true,
            store_fails: false,
            reader: BTreeMap::new(),
            last: BTreeMap::new(),
            messages: Vec::new(),
        }
    }

    fn look(&mut self) {
        let standing = SUBJECTS.iter().zip(self.words).filter(|(_, word)| *word > 0).map(|(subject, word)| Standing {
            key: key(subject),
            word: WORDS[word].into(),
            severity: Severity::Warning,
        });
        let gates = self.gates;
        let gate = |key: &Key, _| gates[SUBJECTS.iter().position(|subject| **subject == *key.subject).unwrap()];
        let now = at(self.now);
        self.desk.handle_picture(standing, self.believed, gate, now);
        let due = self.desk.poll_timeout();
        let mut desk = self.desk.clone();
        let telling = desk.poll(now);
        assert_eq!(telling.is_some(), due.is_some_and(|due| due <= now), "poll and poll_timeout agree");
        if telling.is_some() && core::mem::take(&mut self.store_fails) {
            return;
        }
        self.desk = desk;
        let Some(telling) = telling else { return };
        assert!(!telling.changes.is_empty() || !telling.notes.is_empty(), "no message says nothing");
        self.messages.push(now);
        for change in telling.changes {
            let stood = self.reader.get(&change.key);
            let before = change.before.as_ref().filter(|told| !told.silent).map(|told| &told.word);
            assert_eq!(before, stood, "a message goes on from what its reader knows");
            if let Some(last) = self.last.insert(change.key.clone(), now) {
                assert!(now.since(last) >= PACE.rest, "{} is told of once a minute", change.key.subject);
            }
            match change.after {
                Some((word, _)) => {
                    assert_ne!(stood, Some(&word), "nothing is told twice");
                    self.reader.insert(change.key, word);
                }
                None => assert!(self.reader.remove(&change.key).is_some(), "no end without a beginning"),
            }
        }
    }

    fn play(&mut self, step: &Step) {
        match *step {
            Step::Wait(s) => {
                // A driver looks every few seconds.
                for _ in 0..s {
                    self.now += 1;
                    self.look();
                }
            }
            Step::Word(subject, word) => self.words[subject] = word,
            Step::Gate(subject, gate) => self.gates[subject] = gate,
            Step::Restart => {
                // Nobody is back within a minute, so that what was told rests.
                self.now += PACE.rest.as_secs();
                self.desk = Desk::resume(PACE, self.desk.is_settled(), self.desk.told().clone());
                self.believed = false;
            }
            Step::Believe => self.believed = true,
            Step::StoreFails => self.store_fails = true,
        }
        self.look();
    }
}

proptest! {
    #[test]
    fn each_alarm_that_is_told_has_one_end(
        words in [0_usize..3, 0..3, 0..3],
        steps in vec(step(), 1..60),
    ) {
        let mut world = World::new(words);
        world.look();
        prop_assert!(world.messages.is_empty(), "nothing is told at the first look");
        for step in &steps {
            world.play(step);
        }
        // All is well, everybody listens, and there is time.
        world.words = [0; 3];
        world.gates = [Gate::Open; 3];
        world.believed = true;
        world.store_fails = false;
        world.play(&Step::Wait(200));
        prop_assert!(world.reader.is_empty(), "all that was told is over: {:?}", world.reader);
        let calm = world.messages.len();
        world.play(&Step::Wait(200));
        prop_assert_eq!(world.messages.len(), calm, "and nothing more is told");
        prop_assert!(world.desk.told().is_empty(), "nor remembered");
    }

    #[test]
    fn what_stands_at_the_first_look_is_never_told_while_it_stays(
        words in [0_usize..3, 0..3, 0..3],
        waits in vec(prop_oneof![Just(Step::Restart), Just(Step::Believe), (0_u64..90).prop_map(Step::Wait)], 1..30),
    ) {
        let mut world = World::new(words);
        for step in &waits {
            world.play(step);
        }
        prop_assert!(world.messages.is_empty());
    }

    #[test]
    fn what_stands_and_is_wanted_is_told_within_the_grouping(
        before in vec(step(), 0..30),
        subject in 0_usize..3,
    ) {
        let mut world = World::new([0; 3]);
        world.look();
        for step in &before {
            world.play(step);
        }
        world.believed = true;
        world.store_fails = false;
        world.gates = [Gate::Open; 3];
        world.words = [0; 3];
        world.play(&Step::Wait(200));
        world.play(&Step::Word(subject, 1));
        world.play(&Step::Wait(PACE.grouping.as_secs()));
        prop_assert_eq!(world.reader.get(&key(SUBJECTS[subject])).map(|word| &**word), Some(WORDS[1]));
    }
}
