//! Where a verdict holds: in a country, or in the whole fleet (R7).

use alloc::collections::BTreeSet;
use core::fmt;

use crate::fleet::Country;

/// Where a verdict holds (R7). Sorts as its text does: countries are capitals, so they come before "fleet".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Among the servers of one country.
    Country(Country),
    /// In the whole fleet.
    Fleet,
}

impl Scope {
    /// The scope of a verifier's word (R9).
    pub const fn of(country: Option<Country>) -> Self {
        match country {
            Some(country) => Self::Country(country),
            None => Self::Fleet,
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Country(country) => country.fmt(f),
            Self::Fleet => f.write_str("fleet"),
        }
    }
}

/// Scopes of one verdict.
pub type Scopes = BTreeSet<Scope>;
