//! Replays a target's corpus in an ordinary test: each input as it stands, then broken copies of them, the same each time.
//! A check that fails shows its input.

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs, iter};

/// Numbers that look random and are the same each time (Marsaglia's xorshift, 64 bits).
pub struct Dice(u64);

impl Dice {
    /// From 0 to one less than `sides`.
    pub fn throw(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % sides.max(1) as u64) as usize
    }
}

/// The inputs that are kept of one target, in the order of their names.
pub struct Corpus(Vec<(String, Vec<u8>)>);

impl Corpus {
    /// Panics if there is none: a test that finds nothing to replay has failed.
    pub fn of(target: &str) -> Self {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder =
            here.ancestors().map(|above| above.join("fuzz/corpus").join(target)).find(|folder| folder.is_dir());
        let folder = folder.unwrap_or_else(|| panic!("no fuzz/corpus/{target} above {}", here.display()));
        let mut inputs: Vec<_> = fs::read_dir(&folder)
            .expect("the corpus can be listed")
            .map(|file| file.expect("a folder's entry can be read"))
            .map(|file| {
                let bytes = fs::read(file.path()).expect("an input can be read");
                (file.file_name().to_string_lossy().into_owned(), bytes)
            })
            .collect();
        assert!(!inputs.is_empty(), "{} has no input", folder.display());
        inputs.sort();
        Self(inputs)
    }

    /// Every input as it stands, and so many broken copies; returns the kinds of answers that were met.
    #[allow(dead_code, reason = "a test with an answer of its own has no use for it")]
    pub fn answers<K: Ord>(&self, copies: u32, holds: impl Fn(&[u8]) -> K) -> BTreeSet<K> {
        let mut met = BTreeSet::new();
        self.replay(|_, bytes| {
            met.insert(holds(bytes));
        });
        self.replay_broken(
            copies,
            |_, _| {},
            |bytes| {
                met.insert(holds(bytes));
            },
        );
        met
    }

    /// Every input as it stands.
    pub fn replay(&self, mut check: impl FnMut(&str, &[u8])) {
        for (name, bytes) in &self.0 {
            let _shown = Shown(name, bytes);
            check(name, bytes);
        }
    }

    /// So many inputs, each broken in one to five places and then mended by `mend`, so that what stands behind a length or a
    /// checksum is reached too.
    pub fn replay_broken(&self, copies: u32, mend: impl Fn(&mut Vec<u8>, &mut Dice), mut check: impl FnMut(&[u8])) {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
        for _ in 0..copies {
            let (name, bytes) = &self.0[dice.throw(self.0.len())];
            let mut bytes = bytes.clone();
            for _ in 0..=dice.throw(4) {
                let (_, other) = &self.0[dice.throw(self.0.len())];
                break_once(&mut bytes, &mut dice, other);
            }
            mend(&mut bytes, &mut dice);
            let _shown = Shown(name, &bytes);
            check(&bytes);
        }
    }
}

/// Breaks an input in one place.
fn break_once(bytes: &mut Vec<u8>, dice: &mut Dice, other: &[u8]) {
    let at = dice.throw(bytes.len());
    match dice.throw(7) {
        _ if bytes.is_empty() => bytes.extend_from_slice(other),
        0 => bytes[at] ^= 1 << dice.throw(8),
        1 => bytes[at] = dice.throw(256) as u8,
        2 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff][dice.throw(5)],
        3 => bytes.truncate(at),
        4 => drop(bytes.drain(at..(at + dice.throw(8)).min(bytes.len()))),
        5 => drop(bytes.splice(at..at, iter::repeat_n(0, dice.throw(600)))),
        _ => drop(bytes.splice(at.., other[dice.throw(other.len())..].iter().copied())),
    }
}

/// Shows the input of a check that fails, and how to keep it.
struct Shown<'a>(&'a str, &'a [u8]);

impl Drop for Shown<'_> {
    #[allow(clippy::print_stderr, reason = "this is how a test tells")]
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        let (name, bytes) = (self.0, self.1);
        let kept = env::temp_dir().join(format!("quorate-fuzz-{name}"));
        let place = fs::write(&kept, bytes).map_or_else(|error| error.to_string(), |()| kept.display().to_string());
        eprintln!("the input came of {name}, is kept as {place}, and reads {}", bytes.escape_ascii());
    }
}
