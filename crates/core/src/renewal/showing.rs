//! Which identity an agent shows at its next connection, and what it comes for.
//!
//! An agent has one identity in use and, from a renewal to the first use of its result, a pending one. Which of the two the
//! gateway knows cannot be told from here: the agent may have died before or after the first use, and the gateway's
//! database may be an older copy. So the agent tries, like somebody with two keys at a door.
//!
//! **Whichever identity the gateway knows is shown at the latest with every second connection.** The pending one comes
//! first; one that is not let in makes way for the other, whatever the reason: a refusal can be lost on the way and then
//! looks like a line that broke.
//!
//! # The order of calls
//!
//! ```text
//! loop {
//!     handle_files(pending) what lies on disk, as read just before
//!     next()                → show this, for that errand
//!     exactly one of:
//!       handle_welcome()    let in; handle_taken_up() follows once a pending one has become the active one on disk
//!       handle_expired()    known, but past its end
//!       handle_refused()    not known
//!       handle_silence()    no answer: the network, or a refusal that was lost
//!     handle_renewed()      if the connection brought a pending identity
//! }
//! ```
//!
//! Rejected: to ask the files which of the two is newer. After a restore of the gateway's database the older one is right.

/// Which of the identities on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// The one in use.
    Active,
    /// The one that a renewal brought, until its first use.
    Pending,
}

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errand {
    /// To report.
    Session,
    /// To have a certificate renewed that is good for nothing else.
    Renewal,
}

/// See the module's text.
#[derive(Debug, Clone)]
pub struct Showing {
    has_pending: bool,
    turn: Held,
    errand: Errand,
    active_refused: bool,
    pending_refused: bool,
}

impl Default for Showing {
    fn default() -> Self {
        Self {
            has_pending: false,
            turn: Held::Active,
            errand: Errand::Session,
            active_refused: false,
            pending_refused: false,
        }
    }
}

impl Showing {
    /// What lies on disk: whether there is a pending identity, and whether either is another than before; then all that
    /// was learned is about identities that are gone.
    pub fn handle_files(&mut self, has_pending: bool, changed: bool) {
        if !changed {
            return;
        }
        let turn = if has_pending { Held::Pending } else { Held::Active };
        *self = Self { has_pending, turn, ..Self::default() };
    }

    /// The identity to show, and what for.
    pub fn next(&self) -> (Held, Errand) {
        (self.turn, self.errand)
    }

    /// It was let in.
    pub fn handle_welcome(&mut self) {
        self.active_refused = false;
        self.pending_refused = false;
    }

    /// A renewal brought a pending identity, or the same once more.
    pub fn handle_renewed(&mut self) {
        *self = Self { has_pending: true, turn: Held::Pending, ..Self::default() };
    }

    /// The pending identity is the active one.
    pub fn handle_taken_up(&mut self) {
        self.has_pending = false;
        self.turn = Held::Active;
    }

    /// The gateway knows it and says that it has ended: it comes back to have it renewed.
    pub fn handle_expired(&mut self) {
        self.errand = Errand::Renewal;
    }

    /// The gateway does not know it.
    pub fn handle_refused(&mut self) {
        match self.turn {
            Held::Active => self.active_refused = true,
            Held::Pending => self.pending_refused = true,
        }
        self.errand = Errand::Session;
        self.pass_on();
    }

    /// No word came back.
    pub fn handle_silence(&mut self) {
        self.pass_on();
    }

    /// Whether everything that could be shown was refused: only a person can help.
    pub fn is_refused(&self) -> bool {
        self.active_refused && (self.pending_refused || !self.has_pending)
    }

    fn pass_on(&mut self) {
        let other = match self.turn {
            Held::Active if self.has_pending => Held::Pending,
            Held::Active | Held::Pending => Held::Active,
        };
        if other != self.turn {
            self.turn = other;
            self.errand = Errand::Session;
        }
    }
}
