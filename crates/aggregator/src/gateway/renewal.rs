//! Renewal: an agent that is known asks for its next certificate.
//!
//! Like a new passport against the old one: whoever shows the one in use gets another for the key it brings, and the same
//! once more if the answer was lost. The new one is pending until its first use, and a server has one pending certificate
//! at most, so a lost answer leaves nothing behind. It is stored before it is given out.
//!
//! Always true: a refusal ends no session; a certificate that has ended can be renewed and nothing else; one that was
//! revoked while its agent asked brings none.

use std::convert::Infallible;
use std::time::Duration;

use quorate_core::renewal::Stage;
use quorate_proto::v1::{self, to_agent::Kind};
use tokio::time::timeout;
use tonic::Streaming;

use super::Shared;
use super::ending::End;
use super::limits::{RENEWAL_BUDGET, RENEWAL_BURST, RENEWAL_EVERY, RENEWAL_SERVERS_MAX};
use super::pins::{Fingerprint, Pin};
use super::registry::Ending;
use super::session::{Outbound, Peer, word};
use super::shared::Admission;
use super::wire::Incoming;
use crate::authority::{AgentCertificate, AuthorityError, KeyRequest, RequestError};
use crate::clock::wall;
use crate::store::{CertificateState, NewCertificate, StoreError};
use crate::when;

/// Why there is no new certificate, in words for the agent's log.
#[derive(Debug, thiserror::Error)]
enum Refusal {
    #[error("too many renewals: try again in {} s", .0.as_millis().div_ceil(1000))]
    TooMany(Duration),
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error("the certificate that asks is no longer in use")]
    NotInUse,
    #[error("the aggregator cannot reach its database: try again in a minute")]
    Store(#[from] StoreError),
    #[error("the aggregator cannot make certificates: see its log")]
    Authority(#[from] AuthorityError),
}

impl Peer {
    /// Answers a Renew.
    pub(super) async fn renewed(&self, request: &v1::Renew) -> v1::Renewed {
        let counters = self.shared.sessions.counters();
        match self.renew(request).await {
            Ok(certificate_der) => {
                counters.renewals.one();
                v1::Renewed { certificate_der, refused: String::new() }
            }
            Err(refusal) => {
                counters.renewals_refused.one();
                let cause: &dyn std::error::Error = match &refusal {
                    Refusal::Store(error) => error,
                    Refusal::Authority(error) => error,
                    Refusal::TooMany(_) | Refusal::Request(_) | Refusal::NotInUse => &refusal,
                };
                tracing::warn!(server = &*self.server, peer_addr = %self.arrival.peer_addr, cause, "certificate not renewed");
                v1::Renewed { certificate_der: Vec::new(), refused: refusal.to_string() }
            }
        }
    }

    /// A session that came to renew, from its Welcome to its end.
    pub(super) async fn renew_only(
        &self,
        admission: Admission,
        inbound: &mut Streaming<bytes::Bytes>,
        outbound: &Outbound,
    ) -> End {
        let turn = async {
            match self.carry_renewal(admission, inbound, outbound).await {
                Err(end) => end,
                Ok(never) => match never {},
            }
        };
        tokio::select! {
            biased;
            () = self.shared.stop.cancelled() => End::Ours(Ending::Draining),
            end = timeout(RENEWAL_BUDGET, turn) => end.unwrap_or(End::Idle),
        }
    }

    async fn carry_renewal(
        &self,
        admission: Admission,
        inbound: &mut Streaming<bytes::Bytes>,
        outbound: &Outbound,
    ) -> Result<Infallible, End> {
        if admission.first_use && self.shared.first_use(&self.server, &self.fingerprint).await.is_err() {
            return Err(End::StoreFailed);
        }
        self.send(outbound, Kind::Welcome(self.welcome(0))).await?;
        loop {
            match self.receive(inbound).await? {
                Incoming::Renew(request) => self.send(outbound, Kind::Renewed(self.renewed(&request).await)).await?,
                Incoming::Goodbye(goodbye) => {
                    return Err(End::Goodbye { reason: word(&goodbye.reason), detail: word(&goodbye.detail) });
                }
                Incoming::Hello(_) | Incoming::Report(..) if admission.stage >= Stage::Expired => {
                    return Err(End::Ours(Ending::Expired));
                }
                Incoming::Hello(_) | Incoming::Report(..) => {
                    return Err(End::Protocol(
                        "a session with purpose renew carries Renew and Goodbye alone".to_owned(),
                    ));
                }
                Incoming::Unknown => {}
            }
        }
    }

    async fn renew(&self, request: &v1::Renew) -> Result<Vec<u8>, Refusal> {
        let shared = &self.shared;
        let pace = (RENEWAL_BURST, RENEWAL_EVERY);
        let server = self.server.to_string();
        let paced = shared.renewal_pace().take(server, shared.clock.now(), pace, RENEWAL_SERVERS_MAX);
        paced.map_err(Refusal::TooMany)?;
        let key = KeyRequest::from_der(&request.csr_der)?;
        match shared.next_certificate(&self.server, &self.fingerprint, &key).await? {
            Given::Again(der) => Ok(der),
            Given::New(issued) => {
                let until = when::date_and_time(issued.lifetime.not_after);
                tracing::info!(server = &*self.server, peer_addr = %self.arrival.peer_addr, until, "certificate renewed");
                let told = format!("its agent was given its next certificate, good until {until}");
                shared.tell(&self.server, "renewed", &told).await;
                Ok(issued.der.to_vec())
            }
        }
    }
}

enum Given {
    /// This key has its certificate already; the answer was lost.
    Again(Vec<u8>),
    New(AgentCertificate),
}

impl Shared {
    /// The next certificate of a server for `key`, stored as pending, for the agent that showed `by`.
    async fn next_certificate(&self, server: &str, by: &Fingerprint, key: &KeyRequest) -> Result<Given, Refusal> {
        let _changing = self.changing.lock().await;
        let pending = self.store.pending_certificate(server).await?;
        if let Some(pending) = pending.filter(|it| key.is_of(&it.der) && it.lifetime.stage(wall()) < Stage::Expired) {
            return Ok(Given::Again(pending.der));
        }
        let issued = self.authority.issue_agent(server, key, wall())?;
        let AgentCertificate { fingerprint, der, lifetime } = &issued;
        let new = NewCertificate { fingerprint: *fingerprint, server, der, lifetime: *lifetime };
        let replaced = self.store.renew_certificate(by, &new).await?.ok_or(Refusal::NotInUse)?;
        let pin = Pin { server: server.into(), lifetime: *lifetime, state: CertificateState::Pending };
        self.pins.insert(*fingerprint, pin, &replaced);
        Ok(Given::New(issued))
    }
}
