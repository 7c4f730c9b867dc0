//! R1, and the closed lists of words.

use super::{Evidence, FailureKind, Operation, Reason};
use crate::tests::timeline::{FAILED, INCONCLUSIVE, REACHED};

#[test]
fn the_witness_own_trouble_is_no_evidence() {
    assert_eq!(REACHED.evidence(), Evidence::Reached);
    assert_eq!(FAILED.evidence(), Evidence::Failed);
    assert_eq!(INCONCLUSIVE.evidence(), Evidence::Inconclusive);
}

macro_rules! check_words {
    ($name:ident) => {
        for (ix, word) in $name::ALL.iter().enumerate() {
            assert_eq!(word.as_str().parse(), Ok(*word));
            assert_eq!($name::from_code(word.code()), Some(*word));
            assert_eq!(usize::from(word.code()), ix + 1, "numbers are given out in order, from one on");
        }
        assert_eq!($name::from_code(0), None);
        assert_eq!($name::from_code(200), None);
        assert!("no such word".parse::<$name>().is_err());
    };
}

#[test]
fn every_word_and_every_number_comes_back() {
    check_words!(Operation);
    check_words!(FailureKind);
    check_words!(Reason);
}
