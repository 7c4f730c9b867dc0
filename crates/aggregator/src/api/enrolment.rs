//! A server's agent: the one command that enrols it, the end of its certificates, its live session.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::Api;
use super::access::Admin;
use super::audit::{self, Act};
use super::extract::Named;
use super::fleet::LateCertificate;
use super::problem::Problem;
use super::servers::{self, CertificateView, SessionView};
use crate::authority::TOKEN_VALID_FOR;
use crate::clock::wall;
use crate::gateway::{GatewayHandle, MintError, Pin};

/// What enrols a machine as a server's agent.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Enrolment {
    /// The server.
    pub server: String,
    /// One-time token, valid for an hour: shown this once.
    pub token: String,
    /// To be run on the server.
    pub command: String,
}

/// Makes a one-time token and the command for the server.
#[utoipa::path(post, path = "/servers/{id}/enrolment", tag = "servers",
    params(("id" = String, Path, description = "The server")),
    responses((status = 201, body = Enrolment), (status = 404, body = Problem)))]
pub async fn enroll(
    State(api): State<Api>,
    Admin(caller): Admin,
    Named(id): Named<String>,
) -> Result<Response, Problem> {
    servers::find(&api, &id)?;
    let token = gateway(&api)?.mint_enrolment(&id).await.map_err(|error| match error {
        MintError::Store(error) => error.into(),
        MintError::NoRandom => Problem::internal(&error),
    })?;
    let detail = "a one-time token was made".to_owned();
    let after = Some(json!({"valid_for_s": TOKEN_VALID_FOR.as_secs()}));
    audit::record(&api, &caller, Act { act: "server.enroll", subject: &id, detail, before: None, after }).await;
    let command = format!("quorate-agent enroll --gateway {} {token}", api.gateway_name);
    let answer = (StatusCode::CREATED, Json(Enrolment { server: id, token, command }));
    let mut response = answer.into_response();
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Ends a server's certificates, open enrolments and live sessions.
#[utoipa::path(post, path = "/servers/{id}/revoke", tag = "servers",
    params(("id" = String, Path, description = "The server")), responses((status = 204)))]
pub async fn revoke(
    State(api): State<Api>,
    Admin(caller): Admin,
    Named(id): Named<String>,
) -> Result<StatusCode, Problem> {
    // A server that left the fleet may still have certificates, so it need not be known.
    let before = Some(json!({"certificates": api.certificates(&id), "session": api.session(&id)}));
    gateway(&api)?.revoke(&id).await?;
    let after = Some(json!({"certificates": api.certificates(&id), "session": api.session(&id)}));
    let detail = "certificates, enrolments and sessions ended".to_owned();
    audit::record(&api, &caller, Act { act: "server.revoke", subject: &id, detail, before, after }).await;
    Ok(StatusCode::NO_CONTENT)
}

fn gateway(api: &Api) -> Result<&GatewayHandle, Problem> {
    api.gateway.as_ref().ok_or_else(|| Problem::unavailable("this aggregator runs without a gateway"))
}

impl Api {
    /// The newest live session of a server.
    pub fn session(&self, server: &str) -> Option<SessionView> {
        let session = self.gateway.as_ref()?.sessions().of(server).pop()?;
        let arrival = session.arrival;
        Some(SessionView {
            peer_addr: arrival.peer_addr.to_string(),
            edge: arrival.edge().map(str::to_owned),
            claimed_addr: arrival.claimed_addr().map(ToString::to_string),
            dialled_addr: session.dialled,
            claim: arrival.through.map(|through| through.worth().as_str().to_owned()),
            since_ms: session.since.as_ms(),
            agent_version: session.agent_version,
        })
    }

    /// The certificates by which a server's agent is known.
    pub fn certificates(&self, server: &str) -> Vec<CertificateView> {
        let mut pins = self.gateway.as_ref().map_or_else(Vec::new, |gateway| gateway.certificates(server));
        pins.sort_by_key(|pin| (pin.state.as_str(), pin.lifetime.not_before));
        let now = wall();
        let view = |pin: Pin| CertificateView {
            state: pin.state.as_str().to_owned(),
            stage: pin.lifetime.stage(now).as_str().to_owned(),
            not_before_ms: pin.lifetime.not_before.as_ms(),
            not_after_ms: pin.lifetime.not_after.as_ms(),
        };
        pins.into_iter().map(view).collect()
    }

    /// Certificates in use that their agents should have renewed by now, by server.
    pub fn late_certificates(&self) -> Vec<LateCertificate> {
        let now = wall();
        let mut pins = self.gateway.as_ref().map_or_else(Vec::new, |gateway| gateway.late_certificates(now));
        pins.sort_by(|a, b| a.server.cmp(&b.server));
        let late = |pin: Pin| LateCertificate {
            server: pin.server.to_string(),
            stage: pin.lifetime.stage(now).as_str().to_owned(),
            not_after_ms: pin.lifetime.not_after.as_ms(),
        };
        pins.into_iter().map(late).collect()
    }

    /// How many sessions live.
    pub fn session_count(&self) -> usize {
        self.gateway.as_ref().map_or(0, |gateway| gateway.sessions().list().len())
    }

    /// Ends what a removed server has; it is out of the fleet already, so a failure is logged alone.
    pub async fn revoke_quietly(&self, server: &str) {
        if let Some(gateway) = &self.gateway
            && let Err(error) = gateway.revoke(server).await
        {
            tracing::warn!(%error, server, "the certificates of a removed server were not revoked: revoke it again");
        }
    }
}
