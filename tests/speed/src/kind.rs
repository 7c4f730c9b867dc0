//! The kinds of knock that are measured.

/// A kind of knock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Tls,
    Quic,
    Tcp,
}

impl Kind {
    pub const ALL: [Self; 3] = [Self::Tls, Self::Quic, Self::Tcp];

    /// As an inventory says it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tls => "tls",
            Self::Quic => "quic",
            Self::Tcp => "tcp",
        }
    }

    /// The kind of that name.
    pub fn of(word: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == word)
            .unwrap_or_else(|| panic!("'{word}' is no kind of knock"))
    }
}
