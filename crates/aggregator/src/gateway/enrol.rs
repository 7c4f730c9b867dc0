//! The enrolment desk: a one-time token and a key in, a certificate out.
//!
//! Like a voucher for one badge: whoever comes back with the same voucher and the same key (the answer was lost) gets the
//! same badge again; with another key, somebody else holds a copy of the voucher, and that is told.

use std::sync::Arc;
use std::time::Duration;

use quorate_core::time::Moment;
use quorate_proto::v1;
use quorate_proto::v1::enrolment_server::Enrolment;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status};

use super::Shared;
use super::arrival::Arrival;
use super::gate::Origin;
use super::limits::{
    EDGE_ENROLMENTS_BURST, EDGE_ENROLMENTS_EVERY, ENROLMENT_BURST, ENROLMENT_EVERY, ENROLMENT_ORIGINS_MAX,
    ENROLMENT_TOKEN_BURST, ENROLMENT_TOKENS_MAX, ENROLMENTS_BURST, ENROLMENTS_EVERY,
};
use crate::authority::{Authority, KeyRequest, TOKEN_VALID_FOR, Token};
use crate::clock::wall;
use crate::rate::{Meter, Meters};
use crate::store::{Consumed, NewEnrolment, Store, StoreError};

/// How fast enrolments may come, from one address, through one edge, in all, and with one token.
#[derive(Debug, Default)]
pub(super) struct Pace {
    all: Meter,
    by_origin: Meters<Origin>,
    by_token: Meters<String>,
}

impl Pace {
    fn take(&mut self, origin: Origin, now: Moment) -> Result<(), Duration> {
        let one = match origin {
            Origin::Household(_) => (ENROLMENT_BURST, ENROLMENT_EVERY),
            Origin::Edge(_) => (EDGE_ENROLMENTS_BURST, EDGE_ENROLMENTS_EVERY),
        };
        self.by_origin
            .take(origin, now, one, ENROLMENT_ORIGINS_MAX)
            .and_then(|()| self.all.take(now, ENROLMENTS_BURST, ENROLMENTS_EVERY))
    }

    fn take_for(&mut self, token: &Token, now: Moment) -> Result<(), Duration> {
        let one = (ENROLMENT_TOKEN_BURST, ENROLMENT_EVERY);
        self.by_token.take(token.id().to_owned(), now, one, ENROLMENT_TOKENS_MAX)
    }
}

/// Why no token was made.
#[derive(Debug, thiserror::Error)]
pub enum MintError {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system has no random numbers.
    #[error("the system gives no random numbers for a token")]
    NoRandom,
}

/// Makes a one-time token with which the machine of `server` can enrol within the hour. Shown once; the store keeps a hash.
pub async fn mint_enrolment(
    store: &Store,
    authority: &Authority,
    server: &str,
    now: Moment,
) -> Result<String, MintError> {
    let token = Token::mint(authority.spki_pin()).map_err(|_| MintError::NoRandom)?;
    store
        .create_enrolment(&NewEnrolment {
            id: token.id().to_owned(),
            server: server.to_owned(),
            hash: token.hash(),
            expires_at: now.after(TOKEN_VALID_FOR),
        })
        .await?;
    Ok(token.to_string())
}

/// The desk of one connection.
pub(super) struct Desk {
    pub(super) shared: Arc<Shared>,
    pub(super) arrival: Arrival,
    /// Cancelled when the one request of the connection has its answer.
    pub(super) answered: CancellationToken,
}

#[tonic::async_trait]
impl Enrolment for Desk {
    async fn enroll(&self, request: Request<v1::EnrollRequest>) -> Result<Response<v1::EnrollResponse>, Status> {
        let _answered = self.answered.clone().drop_guard();
        let counters = self.shared.sessions.counters();
        match self.answer(&request.into_inner()).await {
            Ok(response) => {
                counters.enrolments.one();
                Ok(Response::new(response))
            }
            Err(status) => {
                counters.enrolments_refused.one();
                self.shared.complain(&self.arrival, &format!("enrolment refused: {}", status.message()));
                Err(status)
            }
        }
    }
}

impl Desk {
    /// Slows attempts down by address. A token that exists passes all the same, at a pace of its own: behind an edge all
    /// share one address, and whoever fills that with nonsense would lock the others out for as long as he likes.
    async fn pace(&self, token: Option<&Token>, now: Moment) -> Result<(), Status> {
        let shared = &self.shared;
        let Err(mut wait) = shared.enrolment_pace().take(self.arrival.origin(), now) else { return Ok(()) };
        if let Some(token) = token
            && self.is_known(token).await?
        {
            match shared.enrolment_pace().take_for(token, now) {
                Ok(()) => return Ok(()),
                Err(longer) => wait = longer,
            }
        }
        let seconds = wait.as_millis().div_ceil(1000);
        Err(Status::resource_exhausted(format!("too many enrolments: try again in {seconds} s")))
    }

    /// One look at a time, in the order of arrival: a read by its key costs less than the handshake before it, and nobody
    /// else waits for it.
    async fn is_known(&self, token: &Token) -> Result<bool, Status> {
        let _looking = self.shared.looking.lock().await;
        self.shared.store.knows_enrolment(token.id(), &token.hash()).await.map_err(|error| unavailable(&error))
    }

    async fn answer(&self, request: &v1::EnrollRequest) -> Result<v1::EnrollResponse, Status> {
        let shared = &self.shared;
        let now = shared.clock.now();
        let token = Token::parse(&request.token);
        self.pace(token.as_ref().ok(), now).await?;
        let token = token.map_err(|error| Status::invalid_argument(error.to_string()))?;
        if token.pin() != shared.authority.spki_pin() {
            return Err(Status::invalid_argument("this enrolment token belongs to another aggregator"));
        }
        let key =
            KeyRequest::from_der(&request.csr_der).map_err(|error| Status::invalid_argument(error.to_string()))?;
        // One at a time: two with the same token and key get the same certificate, and a refresh of the pins sees all or
        // nothing of it.
        let _changing = shared.changing.lock().await;
        let consumed = shared.store.consume_enrolment(token.id(), &token.hash(), &key.fingerprint(), now).await;
        let again = "ask for a new one with 'quorate-aggregator enroll";
        let (server, certificate) = match consumed.map_err(|error| unavailable(&error))? {
            Consumed::First { server } => (server, None),
            Consumed::Again { server, certificate_der } => (server, Some(certificate_der)),
            Consumed::OtherKey { server } => {
                let reason = format!(
                    "its enrolment token was used a second time, with another key, from {}: nothing to do if the command \
                     was pasted twice; if not, revoke it",
                    self.arrival
                );
                shared.tell(&server, "enrolment_refused", &reason).await;
                return Err(Status::permission_denied(format!(
                    "'{server}' is enrolled already: this enrolment token was used with another key. If its agent runs, \
                     there is nothing to do; if its identity is lost, {again} {server}'; if it was not you who enrolled it, \
                     revoke it first with 'quorate-aggregator revoke {server}'"
                )));
            }
            Consumed::Used => {
                return Err(Status::permission_denied(format!("this enrolment token was revoked: {again}'")));
            }
            Consumed::Expired => {
                return Err(Status::permission_denied(format!("this enrolment token has expired: {again}'")));
            }
            Consumed::Unknown => {
                return Err(Status::permission_denied(format!("this enrolment token is not known here: {again}'")));
            }
        };
        let certificate_der = match certificate {
            Some(certificate) => certificate,
            None => self.issue(token.id(), &server, &key).await?,
        };
        let arrival = &self.arrival;
        tracing::info!(
            server, peer_addr = %arrival.peer_addr, edge = arrival.edge(), claimed_addr = arrival.claimed(), "enrolled"
        );
        shared.tell(&server, "enrolled", &format!("a machine enrolled as '{server}' from {}", self.arrival)).await;
        Ok(v1::EnrollResponse { server, certificate_der, ca_der: shared.authority.certificate().to_vec() })
    }

    async fn issue(&self, id: &str, server: &str, key: &KeyRequest) -> Result<Vec<u8>, Status> {
        let shared = &self.shared;
        let issued = shared.authority.issue_agent(server, key, wall()).map_err(|error| {
            tracing::error!(%error, "no certificate was issued");
            Status::internal("the aggregator cannot make certificates: see its log")
        })?;
        shared.add_certificate(server, &issued).await.map_err(|error| unavailable(&error))?;
        shared.store.finish_enrolment(id, &issued.der).await.map_err(|error| unavailable(&error))?;
        Ok(issued.der.to_vec())
    }
}

fn unavailable(error: &StoreError) -> Status {
    tracing::error!(%error, "enrolment");
    Status::unavailable("the aggregator cannot reach its database: try again in a minute with the same token")
}
