//! The identities at hand: which is shown at the next connection, when the next one is asked for, and what becomes of it.
//!
//! What is decided is in [`quorate_core::renewal`]; here it is carried out on files. They are read anew before each
//! connection, so an identity that `enroll` wrote meanwhile is taken up by itself.

use std::path::{Path, PathBuf};
use std::time::Duration;

use quorate_core::renewal::{Asking, Errand, Held, Showing, Stage};
use quorate_core::time::Moment;
use quorate_proto::v1;
use rcgen::CertificateParams;
use rustls::AlertDescription;
use x509_parser::prelude::{FromDer as _, X509Certificate};

use super::pending::{self, Pending};
use super::{Identity, IdentityError};
use crate::gateway::Credentials;

#[cfg(test)]
mod tests;

/// What an agent can show.
#[derive(Debug)]
pub(crate) struct Wallet {
    dir: PathBuf,
    active: Identity,
    pending: Option<Pending>,
    showing: Showing,
    asking: Asking,
}

/// What is shown at one connection.
#[derive(Debug)]
pub(crate) struct Shown {
    pub(crate) credentials: Credentials,
    pub(crate) errand: Errand,
}

/// No identity at hand is good for anything: only a person can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refused {
    #[error(
        "the gateway does not know this agent's certificate: it was revoked, or is of another aggregator: \
         enrol again with the command that 'quorate-aggregator enroll' prints"
    )]
    Unknown,
    #[error(
        "this agent's certificate ended too long ago to be renewed: \
         enrol again with the command that 'quorate-aggregator enroll' prints"
    )]
    Lost,
}

impl Refused {
    /// Reads a closed door; none where the certificate was not the reason.
    pub(crate) fn by(alert: AlertDescription) -> Option<Self> {
        match alert {
            AlertDescription::AccessDenied | AlertDescription::CertificateRevoked => Some(Self::Unknown),
            AlertDescription::CertificateExpired => Some(Self::Lost),
            _ => None,
        }
    }
}

impl Wallet {
    /// Reads what is there. An agent without an identity in use does not start.
    pub(crate) fn open(dir: &Path) -> Result<Self, IdentityError> {
        let active = Identity::load(dir)?;
        let (showing, asking) = (Showing::default(), Asking::default());
        let mut wallet = Self { dir: dir.to_owned(), active, pending: None, showing, asking };
        wallet.read_again();
        Ok(wallet)
    }

    /// What to show next. `their_now` is the aggregator's wall clock, where it is known.
    pub(crate) fn show(&mut self, their_now: Option<Moment>) -> Shown {
        self.read_again();
        let (held, mut errand) = self.showing.next();
        let identity = self.identity(held);
        if their_now.is_some_and(|now| identity.lifetime.stage(now) >= Stage::Expired) {
            errand = Errand::Renewal;
        }
        Shown { credentials: identity.credentials(), errand }
    }

    /// The identity shown was let in; a pending one becomes the one in use.
    pub(crate) fn welcomed(&mut self, now: Moment) {
        self.showing.handle_welcome();
        if let Err(problem) = self.take_up(now) {
            tracing::warn!(problem, "the new certificate works, but is not in its place: trying again later");
        }
    }

    /// It has ended, and can be renewed.
    pub(crate) fn expired(&mut self) {
        self.showing.handle_expired();
    }

    /// It was not let in, for that reason if one was given. Says so when nothing else is left to show.
    pub(crate) fn turned_away(&mut self, reason: Option<Refused>) -> Option<Refused> {
        match reason {
            Some(_) => self.showing.handle_refused(),
            None => self.showing.handle_silence(),
        }
        reason.filter(|_| self.showing.is_refused())
    }

    /// How long until the next certificate is asked for, in a session. `now` never goes back.
    pub(crate) fn asks_in(&self, their_now: Moment, now: Moment) -> Duration {
        // A pending one that is not shown was asked for and its answer was lost, or the gateway does not know it.
        let is_due = self.pending.is_some() && self.showing.next().0 == Held::Active;
        let due_in =
            if is_due { Duration::ZERO } else { self.identity(self.showing.next().0).renew_at().since(their_now) };
        due_in.max(self.asking.allowed_from().since(now))
    }

    /// Asks with the pending key. The one in use keeps its own until the answer has been used.
    pub(crate) fn ask(&mut self, now: Moment) -> Result<v1::Renew, String> {
        self.asking.handle_asked(now);
        // Its file is where the next one goes.
        self.take_up(now)?;
        let key = pending::key(&self.dir)?;
        self.pending.get_or_insert(Pending::Key);
        let csr = CertificateParams::default().serialize_request(&key).map_err(|error| error.to_string())?;
        Ok(v1::Renew { csr_der: csr.der().to_vec() })
    }

    /// Keeps an answer; the next [`Self::show`] shows it. Returns when the new certificate ends, in words.
    pub(crate) fn receive(&mut self, answer: &v1::Renewed, their_now: Option<Moment>) -> Result<String, String> {
        if !answer.refused.is_empty() || answer.certificate_der.is_empty() {
            return Err(answer.refused.clone());
        }
        let key = pending::key(&self.dir)?;
        let authority = &self.active.authority;
        let (_, parsed) = X509Certificate::from_der(authority).map_err(|error| error.to_string())?;
        super::check(&answer.certificate_der, &key, &parsed)?;
        if their_now
            .is_some_and(|now| super::lifetime(&answer.certificate_der).is_ok_and(|it| it.stage(now) >= Stage::Expired))
        {
            return Err("the new certificate has ended already".to_owned());
        }
        pending::complete(&self.dir, &key, &answer.certificate_der, authority)?;
        self.showing.handle_renewed();
        let (_, new) = X509Certificate::from_der(&answer.certificate_der).map_err(|error| error.to_string())?;
        Ok(new.validity().not_after.to_string())
    }

    fn identity(&self, held: Held) -> &Identity {
        match (held, &self.pending) {
            (Held::Pending, Some(Pending::Whole(identity))) => identity,
            (Held::Pending | Held::Active, _) => &self.active,
        }
    }

    /// Where a pending identity has just been used, makes it the one in use.
    fn take_up(&mut self, now: Moment) -> Result<(), String> {
        if self.showing.next().0 == Held::Active {
            return Ok(());
        }
        pending::take_up(&self.dir).map_err(|problem| format!("{}: {problem}", self.dir.display()))?;
        if let Some(Pending::Whole(identity)) = self.pending.take() {
            self.active = *identity;
        }
        self.showing.handle_taken_up();
        self.asking.handle_taken_up(now);
        tracing::info!("the new certificate is in use");
        Ok(())
    }

    fn read_again(&mut self) {
        let before = self.seen();
        match Identity::load(&self.dir) {
            Ok(active) => self.active = active,
            Err(problem) => tracing::warn!(%problem, "going on with the identity that was read before"),
        }
        self.pending = pending::read(&self.dir);
        let is_whole = matches!(self.pending, Some(Pending::Whole(_)));
        self.showing.handle_files(is_whole, self.seen() != before);
    }

    /// Tells one set of files from another.
    fn seen(&self) -> ([u8; 32], Option<[u8; 32]>) {
        let pending = match &self.pending {
            Some(Pending::Whole(identity)) => Some(identity.fingerprint()),
            Some(Pending::Key) | None => None,
        };
        (self.active.fingerprint(), pending)
    }
}
