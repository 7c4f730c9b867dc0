//! Who may ask what: tokens with scopes, and the cookies of people who signed in with one.
//!
//! A secret is 256 random bits; the store has their SHA-256 alone, so nobody can read one out of a backup. A token is made
//! with the narrower scopes beside the wide one: `admin` may all, `read` may look at everything, `feed` gets the feeds and
//! nothing else. A cookie may what its token may, if the request was made by our own page.

mod cookie;
mod credential;
mod doors;
mod guesses;
mod known;
mod origin;
mod public_url;
mod same_origin;
mod secrets;
pub mod session;

use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;

use super::Api;
use super::problem::Problem;
use crate::store::TokenScope;
pub use cookie::NAME as COOKIE;
pub use credential::{Credential, CredentialKind, parameter};
use doors::NoEntry;
pub use doors::{Closed, Doors};
pub use known::Known;
pub use origin::Visitor;
pub use public_url::{PublicUrl, PublicUrlError};
pub use secrets::{NoRandom, new_token, random};

/// Who asks.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The token's name.
    pub name: String,
    /// From where, for people.
    pub from: String,
    /// What the door asked for, and what opened it.
    pass: (TokenScope, Credential, Visitor),
}

/// A caller who may read everything.
pub struct Reader(pub Caller);
/// A caller who may read feeds.
pub struct Feeder(pub Caller);
/// A caller who may change things.
pub struct Admin(pub Caller);

/// The doors that a token of a scope opens, shown as it is or as the cookie that it was exchanged for.
macro_rules! doors {
    ($($door:ident: $scope:ident),+) => {
        $(impl FromRequestParts<Api> for $door {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, api: &Api) -> Result<Self, Problem> {
                caller(api, parts, Credential::in_headers(parts), TokenScope::$scope).await.map(Self)
            }
        })+
    };
}

doors! { Reader: Read, Feeder: Feed, Admin: Admin }

/// Who shows a secret that opens a door of that scope.
pub async fn caller(
    api: &Api,
    parts: &Parts,
    shown: Option<Credential>,
    needed: TokenScope,
) -> Result<Caller, Problem> {
    let credential =
        shown.ok_or_else(|| Problem::unauthorized("sign in, or send a token as Authorization: Bearer ‹token›"))?;
    if credential.kind == CredentialKind::Cookie {
        same_origin::check_change(parts, api.doors.public_url.as_ref())?;
    }
    let visitor = Visitor::of(parts, &api.doors.trusted_proxies);
    open(api, needed, credential, visitor).await
}

async fn open(api: &Api, needed: TokenScope, credential: Credential, visitor: Visitor) -> Result<Caller, Problem> {
    let token = match api.doors.open(&api.store, credential, visitor.origin, api.clock.now()).await {
        Ok(token) => token,
        Err(NoEntry::Closed(closed)) => {
            tracing::debug!(from = %visitor, ?closed, "a door stays closed");
            return Err(closed.problem());
        }
        Err(NoEntry::Store(error)) => return Err(error.into()),
    };
    if !token.has(needed) {
        let has: Vec<&str> = token.scopes.iter().map(|scope| scope.as_str()).collect();
        let told = format!("this needs a token of scope '{needed}'; '{}' has {}", token.name, has.join(", "));
        return Err(Problem::new(StatusCode::FORBIDDEN, "forbidden", told));
    }
    Ok(Caller { name: token.name, from: visitor.to_string(), pass: (needed, credential, visitor) })
}

impl Caller {
    /// Whether what opened the door would open it still: for answers that last. While nobody can say, it does.
    pub async fn is_still_in(&self, api: &Api) -> bool {
        let (needed, credential, visitor) = self.pass.clone();
        match open(api, needed, credential, visitor).await {
            Ok(_) => true,
            Err(problem) => !matches!(problem.status, 401 | 403),
        }
    }
}
