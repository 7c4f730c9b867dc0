//! One address of the gateway's name: what the knocks on it say, in a streak.

use alloc::sync::Arc;

use super::{GONE_AFTER, HEALED_AFTER, Knock, TOLD_AFTER, Trouble};
use crate::time::Moment;

/// What is known of an address.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Address {
    /// The edge that it belongs to, by the inventory.
    pub edge: Option<Arc<str>>,
    /// What the knocks say.
    pub state: AddressState,
    /// Since when; the first knock of the streak that said so.
    pub since: Moment,
    /// The last knock and when it was over.
    pub last: Option<(Moment, Knock)>,
    failures: Streak,
    /// The newest of the failures, and those in a row that say the same.
    alike: Streak,
    alike_says: AddressState,
    successes: Streak,
    absent: u8,
}

/// What the knocks on an address say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AddressState {
    /// Nothing yet.
    #[default]
    Unknown,
    /// It leads to the gateway.
    Through,
    /// It takes connections, and nobody answers behind it.
    ForwardsNothing,
    /// It takes connections, and somebody else answers behind it.
    Foreign,
    /// It takes no connections.
    Unreachable,
}

impl AddressState {
    /// The word in outputs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Through => "ok",
            Self::ForwardsNothing => "forwards_nothing",
            Self::Foreign => "foreign",
            Self::Unreachable => "unreachable",
        }
    }

    /// The state that a trouble of addresses is told of.
    pub(super) const fn of(trouble: Trouble) -> Option<Self> {
        match trouble {
            Trouble::ForwardsNothing => Some(Self::ForwardsNothing),
            Trouble::Foreign => Some(Self::Foreign),
            Trouble::Unreachable => Some(Self::Unreachable),
            Trouble::Unresolved | Trouble::Unlisted | Trouble::NotInDns | Trouble::Unused | Trouble::Past => None,
        }
    }

    /// What there is to tell.
    pub const fn trouble(self) -> Option<Trouble> {
        match self {
            Self::Unknown | Self::Through => None,
            Self::ForwardsNothing => Some(Trouble::ForwardsNothing),
            Self::Foreign => Some(Trouble::Foreign),
            Self::Unreachable => Some(Trouble::Unreachable),
        }
    }
}

/// So many in a row, and when the first of them was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Streak {
    count: u8,
    first_at: Moment,
}

impl Streak {
    fn add(&mut self, now: Moment) {
        if self.count == 0 {
            self.first_at = now;
        }
        self.count = self.count.saturating_add(1);
    }
}

impl Address {
    /// One of which something stood when the last process ended.
    pub(super) fn stood(state: AddressState, since: Moment) -> Self {
        Self { state, since, ..Self::default() }
    }

    /// Whether it stays in the set after an answer of the resolver that has it or not.
    pub(super) fn is_kept(&mut self, is_in_set: bool) -> bool {
        self.absent = if is_in_set { 0 } else { self.absent.saturating_add(1) };
        self.absent < GONE_AFTER
    }

    pub(super) fn handle_knock(&mut self, edge: Option<Arc<str>>, knock: Knock, now: Moment) {
        self.edge = edge;
        self.last = Some((now, knock));
        let says = match knock {
            Knock::Untold(_) => return,
            Knock::Through { .. } => return self.succeeded(now),
            Knock::Nobody { .. } => AddressState::ForwardsNothing,
            Knock::Foreign { .. } => AddressState::Foreign,
            Knock::Unreachable(_) => AddressState::Unreachable,
        };
        self.successes = Streak::default();
        self.failures.add(now);
        if says != self.alike_says {
            (self.alike, self.alike_says) = (Streak::default(), says);
        }
        self.alike.add(now);
        let is_ill = self.state.trouble().is_some();
        if !is_ill && self.failures.count >= TOLD_AFTER {
            (self.state, self.since) = (says, self.failures.first_at);
        } else if is_ill && says != self.state && self.alike.count >= TOLD_AFTER {
            (self.state, self.since) = (says, self.alike.first_at);
        }
    }

    fn succeeded(&mut self, now: Moment) {
        (self.failures, self.alike) = (Streak::default(), Streak::default());
        self.successes.add(now);
        let is_over = match self.state {
            AddressState::Unknown => true,
            AddressState::Through => false,
            AddressState::ForwardsNothing | AddressState::Foreign | AddressState::Unreachable => {
                self.successes.count >= HEALED_AFTER
            }
        };
        if is_over {
            (self.state, self.since) = (AddressState::Through, self.successes.first_at);
        }
    }
}
