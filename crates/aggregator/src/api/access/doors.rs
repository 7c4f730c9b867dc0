//! What stands behind a secret: a token, or a sign-in and through it a token. Remembered for a few seconds, and guesses
//! slowed.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use quorate_core::time::Moment;

use super::credential::{Credential, CredentialKind};
use super::guesses::{Answer, Guesses};
use super::known::Known;
use super::origin::Origin;
use super::public_url::PublicUrl;
use crate::api::problem::Problem;
use crate::inventory::Network;
use crate::store::{SignIn, Store, StoreError, Token};

/// How exactly it is noted when a sign-in was last used: a page that asks every second writes this often.
const USE_NOTED_EVERY: Duration = Duration::from_mins(5);

/// The doors of the API, and their porter's memory.
#[derive(Debug, Default)]
pub struct Doors {
    /// What people type to get here.
    pub public_url: Option<PublicUrl>,
    /// Proxies whose word on addresses is taken.
    pub trusted_proxies: Vec<Network>,
    tokens: Known<Token>,
    sign_ins: Known<SignIn>,
    guesses: Guesses,
    /// It was said that somebody comes through a proxy that is not trusted.
    proxy_told: AtomicBool,
}

/// Why a door stays closed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Closed {
    /// The secret stands for nothing: it never did, or what it stood for was ended.
    Unknown,
    /// What it stands for has expired.
    Expired,
    /// Too many secrets were wrong: come back after this span.
    TooFast(Duration),
}

/// A call of the store, or the door.
#[derive(Debug)]
pub enum NoEntry {
    /// The door stays closed.
    Closed(Closed),
    /// Nobody can say.
    Store(StoreError),
}

impl Doors {
    /// Doors that are known by that address, behind these proxies.
    pub fn new(public_url: Option<PublicUrl>, trusted_proxies: Vec<Network>) -> Self {
        Self { public_url, trusted_proxies, ..Self::default() }
    }

    /// The token that a secret stands for.
    pub async fn open(
        &self,
        store: &Store,
        credential: Credential,
        origin: Origin,
        now: Moment,
    ) -> Result<Token, NoEntry> {
        if origin == Origin::Proxied && !self.proxy_told.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "requests come through a proxy on this machine: name it with serve --trusted-proxy, so that those who come through it are told apart"
            );
        }
        let attempt = match self.guesses.show(origin, credential.hash, now) {
            Answer::Look(attempt) => attempt,
            Answer::Wrong => return Err(NoEntry::Closed(Closed::Unknown)),
            Answer::TooFast(wait) => return Err(NoEntry::Closed(Closed::TooFast(wait))),
        };
        // The look-up compares hashes of 256 random bits, so the time it takes tells nothing about a secret.
        let found = match credential.kind {
            CredentialKind::Token => self.token(store, &credential.hash, now).await,
            CredentialKind::Cookie => self.sign_in(store, &credential.hash, now).await,
        };
        let Some((token, is_valid)) = found.map_err(NoEntry::Store)? else {
            attempt.fails();
            return Err(NoEntry::Closed(Closed::Unknown));
        };
        // Who comes with what has expired did not guess it.
        attempt.fits();
        if is_valid { Ok(token) } else { Err(NoEntry::Closed(Closed::Expired)) }
    }

    /// A sign-in that was made just now.
    pub fn made(&self, hash: [u8; 32], sign_in: SignIn, now: Moment) {
        self.guesses.made(hash);
        self.sign_ins.remember(&hash, sign_in, now);
    }

    /// A token was revoked: what secrets stand for is looked up anew.
    pub fn revoked(&self) {
        self.tokens.forget_all();
        self.sign_ins.forget_all();
    }

    /// A sign-in was ended.
    pub fn ended(&self, hash: &[u8; 32]) {
        self.sign_ins.forget(hash);
    }

    /// The sign-in of a cookie, if it holds.
    pub async fn sign_in_of(&self, store: &Store, hash: &[u8; 32], now: Moment) -> Result<Option<SignIn>, StoreError> {
        let found = self.sign_ins.find(hash, now, store.find_sign_in(hash)).await?;
        Ok(found.filter(|sign_in| now < sign_in.expires_at()))
    }

    async fn token(&self, store: &Store, hash: &[u8; 32], now: Moment) -> Result<Option<(Token, bool)>, StoreError> {
        let found = self.tokens.find(hash, now, store.find_token(hash)).await?;
        Ok(found.map(|token| {
            let is_valid = token.is_valid_at(now);
            (token, is_valid)
        }))
    }

    async fn sign_in(&self, store: &Store, hash: &[u8; 32], now: Moment) -> Result<Option<(Token, bool)>, StoreError> {
        let Some(sign_in) = self.sign_ins.find(hash, now, store.find_sign_in(hash)).await? else { return Ok(None) };
        let is_valid = now < sign_in.expires_at();
        if is_valid && now.since(sign_in.used_at) >= USE_NOTED_EVERY {
            self.sign_ins.remember(hash, SignIn { used_at: now, ..sign_in.clone() }, now);
            note_use(store.clone(), *hash, now);
        }
        Ok(Some((sign_in.token, is_valid)))
    }
}

/// Nobody waits for it: a store that is away must not keep readers out.
fn note_use(store: Store, hash: [u8; 32], now: Moment) {
    tokio::spawn(async move {
        if let Err(error) = store.use_sign_in(&hash, now).await {
            tracing::warn!(%error, "the use of a sign-in was not noted: it may end early");
        }
    });
}

impl Closed {
    /// What is answered; `visitor` is logged once in a while by the caller.
    pub fn problem(self) -> Problem {
        match self {
            Self::Unknown => Problem::unauthorized(
                "the token is unknown or was revoked, or the sign-in has ended: sign in again, or make a token with `token create`",
            ),
            Self::Expired => Problem::unauthorized(
                "the token or the sign-in has expired: sign in again, or make a token with `token create`",
            ),
            Self::TooFast(wait) => {
                Problem::too_many(wait, "too many unknown tokens came from where this one comes from")
            }
        }
    }
}
