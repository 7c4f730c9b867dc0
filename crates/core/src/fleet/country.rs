//! Countries, as the codes that people write.

use core::fmt;
use core::str::FromStr;

/// ISO 3166-1 alpha-2 code: two capital letters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Country([u8; 2]);

impl Country {
    /// The two letters.
    pub fn as_str(&self) -> &str {
        core::str::from_utf8(&self.0).expect("a country is two ASCII letters: checked when parsed")
    }
}

impl fmt::Display for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Country {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Not two capital letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a country is two capital letters, like NL")]
pub struct NoCountry;

impl FromStr for Country {
    type Err = NoCountry;

    fn from_str(word: &str) -> Result<Self, NoCountry> {
        match word.as_bytes() {
            [a, b] if a.is_ascii_uppercase() && b.is_ascii_uppercase() => Ok(Self([*a, *b])),
            _ => Err(NoCountry),
        }
    }
}
