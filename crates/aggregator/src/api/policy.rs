//! The policy: as written, and as it is in force.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use quorate_core::policy::{Policy, Share};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::access::{Admin, Reader};
use super::changes::{self, ChangeQuery, Changed};
use super::extract::{Body, Params};
use super::problem::Problem;
use super::{Api, etag};
use crate::inventory::PolicySettings;

/// The policy.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PolicyPage {
    /// Version of the inventory.
    pub inventory_version: u64,
    /// As written: what is absent has its default.
    pub settings: PolicySettings,
    /// As in force.
    pub effective: Effective,
    /// Changes with what is in force.
    pub digest: String,
}

/// Spans, counts and shares in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[allow(missing_docs, reason = "the names are the rules' own")]
pub struct Effective {
    pub interval_ms: u64,
    pub stale_after_ms: u64,
    pub sustain_rounds: u16,
    pub sustain_for_ms: u64,
    pub witness_floor: f64,
    pub quorum: u32,
    pub quorum_share: f64,
    pub half_blind_share: f64,
    pub hold_for_ms: u64,
}

impl Effective {
    /// The policy in numbers.
    pub fn of(policy: &Policy) -> Self {
        let ms = |span: std::time::Duration| span.as_millis() as u64;
        let share = |share: Share| f64::from(share.thousandths()) / 1000.0;
        Self {
            interval_ms: ms(policy.interval),
            stale_after_ms: ms(policy.stale_after),
            sustain_rounds: policy.sustain_rounds,
            sustain_for_ms: ms(policy.sustain_for),
            witness_floor: share(policy.witness_floor),
            quorum: policy.quorum,
            quorum_share: share(policy.quorum_share),
            half_blind_share: share(policy.half_blind_share),
            hold_for_ms: ms(policy.hold_for),
        }
    }

    /// Changes with any of the numbers.
    pub fn digest(&self) -> String {
        etag::hex(&serde_json::to_vec(self).unwrap_or_default())
    }
}

/// The policy as written and as in force.
#[utoipa::path(get, path = "/policy", tag = "policy", responses((status = 200, body = PolicyPage)))]
pub async fn get_policy(State(api): State<Api>, _: Reader, headers: HeaderMap) -> Result<Response, Problem> {
    let snapshot = api.engine.snapshot();
    let effective = Effective::of(&snapshot.policy);
    let page = PolicyPage {
        inventory_version: snapshot.inventory_version,
        settings: snapshot.inventory.policy.clone(),
        digest: effective.digest(),
        effective,
    };
    etag::answer(&headers, &page, &page)
}

/// Replaces the policy.
#[utoipa::path(put, path = "/policy", tag = "policy", request_body = PolicySettings, params(ChangeQuery),
    responses((status = 200, body = Changed), (status = 409, body = Problem), (status = 422, body = Problem)))]
pub async fn put_policy(
    State(api): State<Api>,
    Admin(caller): Admin,
    headers: HeaderMap,
    Params(query): Params<ChangeQuery>,
    Body(settings): Body<PolicySettings>,
) -> Result<Response, Problem> {
    let change = changes::Change { caller, act: "policy.set", subject: "policy".to_owned(), force: query.force };
    changes::apply(&api, &headers, change, move |inventory| {
        inventory.policy = settings;
        Ok(())
    })
    .await
}
