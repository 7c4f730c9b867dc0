//! The words that verdicts are told in: one for a server, one for an entry point.

/// The word on the badge (R11), strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// By intent.
    Disabled,
    /// It says so itself.
    Down,
    /// A quorum cannot see any of its entry points.
    Unreachable,
    /// A verifier cannot see what the quorum still sees.
    Blocked,
    /// Some entry points only.
    Degraded,
    /// Silent.
    NoData,
    /// Not heard of yet.
    Pending,
    /// Two groups accuse each other.
    Contested,
    /// A single pair is broken.
    Marked,
    /// Nothing to say.
    Ok,
}

impl Status {
    /// Whether it is one that somebody should look at: the others are how it should be, or how its owner wants it.
    pub const fn stands(self) -> bool {
        match self {
            Self::Down
            | Self::Unreachable
            | Self::Blocked
            | Self::Degraded
            | Self::NoData
            | Self::Contested
            | Self::Marked => true,
            Self::Disabled | Self::Pending | Self::Ok => false,
        }
    }

    /// All, strongest first.
    pub const ALL: [Self; 10] = [
        Self::Disabled,
        Self::Down,
        Self::Unreachable,
        Self::Blocked,
        Self::Degraded,
        Self::NoData,
        Self::Pending,
        Self::Contested,
        Self::Marked,
        Self::Ok,
    ];

    /// The word used in outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Disabled => "disabled",
            Self::Down => "down",
            Self::Unreachable => "unreachable",
            Self::Blocked => "blocked",
            Self::Degraded => "degraded",
            Self::NoData => "no_data",
            Self::Pending => "pending",
            Self::Contested => "contested",
            Self::Marked => "marked",
            Self::Ok => "ok",
        }
    }
}

/// The word on an entry point, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Its server is down (R6).
    Down,
    /// A quorum cannot see it (R8, R14).
    Unreachable,
    /// A verifier cannot see it (R9, R14).
    Blocked,
    /// None of its upstreams can be used (R13).
    CutOff,
    /// Two groups accuse each other (R8).
    Contested,
    /// A single pair is broken (R10).
    PairBroken,
    /// Nothing to say.
    Clear,
}

impl State {
    /// The word used in outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Down => "down",
            Self::Unreachable => "unreachable",
            Self::Blocked => "blocked",
            Self::CutOff => "cut_off",
            Self::Contested => "contested",
            Self::PairBroken => "pair_broken",
            Self::Clear => "clear",
        }
    }

    /// R15, before R18 and R19.
    pub const fn tier(self) -> u8 {
        match self {
            Self::Down => 4,
            Self::Unreachable => 3,
            Self::Blocked | Self::CutOff => 2,
            Self::Contested | Self::PairBroken => 1,
            Self::Clear => 0,
        }
    }
}
