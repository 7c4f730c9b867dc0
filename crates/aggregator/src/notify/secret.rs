//! A secret of a channel: it is written down for the store, and shown to nobody.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What must not be shown. `Debug` hides it; serializing does not, because the store has to keep it: what the API answers
/// goes through [`super::channel::Settings::without_secrets`].
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Hides a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The text, for the one line that sends or signs with it.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}
