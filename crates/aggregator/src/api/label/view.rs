//! R11 · A label as JSON: a key and its values, for whoever words it in another language.

use quorate_core::label::{Few, Label, Unseen};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What a badge says, as data. `key` is the status.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "key", content = "values", rename_all = "snake_case")]
pub enum LabelView {
    /// By its operator.
    Disabled {},
    /// By its own word.
    Down {},
    /// Too few can see it. `cannot_see` is 0 where each of its entry points is lost to servers that see another one.
    Unreachable {
        /// Servers that gave evidence and cannot see any of it.
        cannot_see: usize,
        /// Servers that gave evidence.
        asked: usize,
        /// The same within each country in which the verdict holds; empty where it holds in the whole fleet alone.
        countries: Vec<CountryUnseen>,
    },
    /// Its address is blocked.
    Blocked {
        /// The first few of the verifiers that cannot see it.
        verifiers: Vec<String>,
        /// How many more.
        more: usize,
    },
    /// A part of it cannot be seen.
    Degraded {
        /// The first few of the entry points that are lost.
        entry_points: Vec<String>,
        /// How many more.
        more: usize,
    },
    /// It is silent.
    NoData {},
    /// It was never heard of.
    Pending {},
    /// Two groups of servers accuse each other.
    Contested {},
    /// Pairs are broken that are no verdict.
    Marked {
        /// The first few, each with both servers.
        pairs: Vec<[String; 2]>,
        /// How many more.
        more: usize,
    },
    /// Nothing is to be said.
    Ok {},
}

/// Who of one country cannot see a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CountryUnseen {
    /// Where they stand.
    pub country: String,
    /// How many of them cannot see it.
    pub cannot_see: usize,
    /// How many of them gave evidence.
    pub asked: usize,
}

impl From<&Label> for LabelView {
    fn from(label: &Label) -> Self {
        let few = |few: &Few<String>| (few.shown.clone(), few.more);
        match label {
            Label::Disabled => Self::Disabled {},
            Label::Down => Self::Down {},
            Label::Unreachable(unseen) => unreachable(unseen),
            Label::Blocked { verifiers } => {
                let (verifiers, more) = few(verifiers);
                Self::Blocked { verifiers, more }
            }
            Label::Degraded { entry_points } => {
                let (entry_points, more) = few(entry_points);
                Self::Degraded { entry_points, more }
            }
            Label::NoData => Self::NoData {},
            Label::Pending => Self::Pending {},
            Label::Contested => Self::Contested {},
            Label::Marked { pairs } => {
                let both = |(a, b): &(String, String)| [a.clone(), b.clone()];
                Self::Marked { pairs: pairs.shown.iter().map(both).collect(), more: pairs.more }
            }
            Label::Ok => Self::Ok {},
        }
    }
}

fn unreachable(unseen: &Unseen) -> LabelView {
    let countries = unseen.countries.iter().map(|from| CountryUnseen {
        country: from.country.to_string(),
        cannot_see: from.cannot_see,
        asked: from.asked,
    });
    LabelView::Unreachable { cannot_see: unseen.cannot_see, asked: unseen.asked, countries: countries.collect() }
}
