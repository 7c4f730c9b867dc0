//! Who may see a badge: whoever may read everything, and whoever has a link that names it.

use axum::http::StatusCode;
use axum::http::request::Parts;
use quorate_core::fleet::ServerIx;
use quorate_core::time::Moment;

use super::link::{Seal, Subject};
use crate::api::Api;
use crate::api::access::{self, Caller, Credential, parameter};
use crate::api::label::{self, Badge};
use crate::api::problem::Problem;
use crate::engine::Snapshot;
use crate::store::TokenScope;

/// What let a reader in.
#[derive(Debug, Clone)]
pub enum Entry {
    /// A token or a cookie.
    Caller(Box<Caller>),
    /// A signed link.
    Link(Seal, Subject),
}

/// Who reads along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Whoever runs the fleet.
    Operators,
    /// Whoever has got hold of a link.
    Anybody,
}

impl Entry {
    /// Lets a reader in, or says why not. A link is judged by itself, and a token in the address too: what they open is open
    /// to scripts of any page, so a cookie that came along must not have opened it.
    pub async fn of(api: &Api, parts: &Parts, subject: Subject) -> Result<Self, Problem> {
        if let Some(seal) = seal(parts)? {
            check(api, &seal, &subject).await?;
            return Ok(Self::Link(seal, subject));
        }
        let shown = Credential::in_address(parts).or_else(|| Credential::in_headers(parts));
        let caller = access::caller(api, parts, shown, TokenScope::Read).await?;
        Ok(Self::Caller(Box::new(caller)))
    }

    /// Whether it would be let in still.
    pub async fn is_still_in(&self, api: &Api) -> bool {
        match self {
            Self::Caller(caller) => caller.is_still_in(api).await,
            Self::Link(seal, subject) => check(api, seal, subject).await.is_ok(),
        }
    }

    /// Who reads along.
    pub fn audience(&self) -> Audience {
        match self {
            Self::Caller(_) => Audience::Operators,
            Self::Link(..) => Audience::Anybody,
        }
    }
}

impl Audience {
    /// The words for them.
    pub fn badge(self, snapshot: &Snapshot, ix: ServerIx, now: Moment) -> Badge {
        match self {
            Self::Operators => label::badge(snapshot, ix, now),
            Self::Anybody => label::public_badge(snapshot, ix, now),
        }
    }
}

/// Whether an address lets scripts of any page read what it opens.
pub fn is_for_any_page(parts: &Parts) -> bool {
    ["sig", "token"].iter().any(|name| parameter(parts, name).is_some())
}

fn seal(parts: &Parts) -> Result<Option<Seal>, Problem> {
    let (until, sig) = (parameter(parts, "until"), parameter(parts, "sig"));
    match (until, sig) {
        (None, None) => Ok(None),
        (Some(until), Some(sig)) => {
            let until_s = until.parse().map_err(|_| forged())?;
            Ok(Some(Seal { until_s, sig: sig.to_owned() }))
        }
        _ => Err(forged()),
    }
}

async fn check(api: &Api, seal: &Seal, subject: &Subject) -> Result<(), Problem> {
    if !seal.is_of(&api.link_key.get(&api.store).await?, subject) {
        return Err(forged());
    }
    if seal.until_s <= api.clock.now().as_ms() / 1000 {
        let told = "the time of this link is over: make another with `badge link`";
        return Err(Problem::new(StatusCode::GONE, "link_expired", told));
    }
    Ok(())
}

fn forged() -> Problem {
    let told = "this link was not made for this, was changed, or was ended: make another with `badge link`";
    Problem::new(StatusCode::FORBIDDEN, "link_invalid", told)
}
