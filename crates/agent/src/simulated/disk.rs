//! What a simulated disk does to a file that is being written.

use std::io;

/// How the disk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mood {
    /// It takes everything.
    #[default]
    Well,
    /// It has no room: nothing is written.
    Full,
    /// The file gets its name, and then the disk does not say that this will last.
    Unsure,
}

impl Mood {
    /// Whether there is room for a file.
    pub(crate) fn room(self) -> io::Result<()> {
        match self {
            Self::Well | Self::Unsure => Ok(()),
            Self::Full => Err(io::ErrorKind::StorageFull.into()),
        }
    }

    /// Whether a file that has its name is there to stay.
    pub(crate) fn sync(self) -> io::Result<()> {
        match self {
            Self::Well | Self::Full => Ok(()),
            Self::Unsure => Err(io::Error::other("the directory was not synced")),
        }
    }
}
