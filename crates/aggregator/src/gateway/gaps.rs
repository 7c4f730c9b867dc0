//! Reports that never came. An agent counts its reports without a gap and sends them in order, so a number that is passed
//! over was shed because the outbox was full, or lost with its disk: like a cheque book in which a number is missing.
//!
//! Of an outbox of which nothing is known yet the first number says nothing: an agent whose disk takes no more counts on
//! under another id.

use std::fmt;

/// The event about it.
pub(super) const REPORTS_LOST: &str = "reports_lost";

/// Follows the numbers of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Gaps {
    outbox: Vec<u8>,
    /// 0 while nothing is known.
    last: u64,
}

/// Numbers that were passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) first: u64,
    pub(super) last: u64,
}

impl Gap {
    pub(super) fn reports(self) -> u64 {
        self.last - self.first + 1
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, last } = self;
        let (what, numbers) = match self.reports() {
            1 => ("1 report".to_owned(), format!("number {first}")),
            reports => (format!("{reports} reports"), format!("numbers {first} to {last}")),
        };
        write!(f, "{what} of its agent will never come ({numbers}): its outbox was full, or its disk lost them")
    }
}

impl Gaps {
    /// Everything up to `stored` of this outbox is known.
    pub(super) fn after(outbox: &[u8], stored: u64) -> Self {
        Self { outbox: outbox.to_vec(), last: stored }
    }

    /// A report has come; the gap before it, if there is one.
    pub(super) fn note(&mut self, outbox: &[u8], sequence: u64) -> Option<Gap> {
        if self.outbox != outbox {
            *self = Self::after(outbox, 0);
        }
        let last = self.last;
        self.last = last.max(sequence);
        (last > 0 && sequence > last + 1).then_some(Gap { first: last + 1, last: sequence - 1 })
    }
}

#[cfg(test)]
mod tests {
    use super::{Gap, Gaps};

    #[test]
    fn a_number_that_is_passed_over_is_a_gap() {
        let mut gaps = Gaps::after(b"a", 4);
        assert_eq!(gaps.note(b"a", 5), None);
        assert_eq!(gaps.note(b"a", 9), Some(Gap { first: 6, last: 8 }));
        assert_eq!(gaps.note(b"a", 10), None);
    }

    #[test]
    fn a_gap_is_told_in_words() {
        let told = [(7, 7), (6, 8)].map(|(first, last)| Gap { first, last }.to_string());
        assert_eq!(
            told,
            [
                "1 report of its agent will never come (number 7): its outbox was full, or its disk lost them",
                "3 reports of its agent will never come (numbers 6 to 8): its outbox was full, or its disk lost them",
            ]
        );
    }

    #[test]
    fn what_comes_again_is_no_gap_and_makes_none() {
        let mut gaps = Gaps::after(b"a", 4);
        assert_eq!([3, 4, 3, 5].map(|sequence| gaps.note(b"a", sequence)), [None; 4]);
    }

    #[test]
    fn of_an_unknown_outbox_the_first_number_says_nothing() {
        let mut gaps = Gaps::after(b"a", 0);
        assert_eq!([17, 18].map(|sequence| gaps.note(b"a", sequence)), [None; 2]);
        assert_eq!([30, 31].map(|sequence| gaps.note(b"b", sequence)), [None; 2]);
        assert_eq!(gaps.note(b"b", 33), Some(Gap { first: 32, last: 32 }));
    }
}
