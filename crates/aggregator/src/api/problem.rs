//! Every refusal, as an RFC 9457 problem document: what was wrong, where, what to do.

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::archive::{ArchiveError, FoldError};
use crate::engine::Stopped;
use crate::inventory::InventoryError;
use crate::store::{ReplaceError, StoreError};

/// A refused request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// `urn:quorate:problem:‹word›`; the words are listed in the API's guide.
    #[serde(rename = "type")]
    pub kind: String,
    /// What kind of problem, for people.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What was wrong this time, and what to do.
    pub detail: String,
    /// Whose field, like `server 'nl-1'`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub owner: Option<Box<str>>,
    /// The field's name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub field: Option<Box<str>>,
    /// When to try again, if that is known; `Retry-After` says the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u32>,
}

/// Content type of a problem document.
pub const PROBLEM_JSON: &str = "application/problem+json";

impl Problem {
    /// A problem of a kind that is named by `word`.
    pub fn new(status: StatusCode, word: &str, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:quorate:problem:{word}"),
            title: status.canonical_reason().unwrap_or("Refused").to_owned(),
            status: status.as_u16(),
            detail: detail.into(),
            owner: None,
            field: None,
            retry_after_s: None,
        }
    }

    /// The request cannot be understood.
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", detail)
    }

    /// Nobody who may.
    pub fn unauthorized(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "unauthorized", detail)
    }

    /// Not before `wait` is over.
    pub fn too_many(wait: Duration, what: &str) -> Self {
        let seconds = u32::try_from(wait.as_millis().div_ceil(1000)).unwrap_or(u32::MAX).max(1);
        let told = format!("{what}: try again in {seconds} s");
        Self { retry_after_s: Some(seconds), ..Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many", told) }
    }

    /// Nothing of that name.
    pub fn not_found(what: &str, id: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", format!("no {what} is called '{id}'"))
    }

    /// The request is understood and collides with what is.
    pub fn conflict(word: &str, detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, word, detail)
    }

    /// The request is understood and its content refused.
    pub fn unprocessable(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "unprocessable", detail)
    }

    /// Not possible at this moment.
    pub fn unavailable(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail)
    }

    /// Too much of it at this moment: try again after so many seconds.
    pub fn busy(detail: impl Into<String>, retry_after_s: u32) -> Self {
        let problem = Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail);
        Self { retry_after_s: Some(retry_after_s), ..problem }
    }

    /// Our own fault: the cause is logged, not told.
    pub fn internal(cause: &dyn std::fmt::Display) -> Self {
        tracing::error!(%cause, "a request failed");
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "the aggregator failed to answer: its log has the cause",
        )
    }

    /// The same with the field that it is about.
    #[must_use]
    pub fn about(mut self, owner: impl Into<Box<str>>, field: impl Into<Box<str>>) -> Self {
        self.owner = Some(owner.into());
        self.field = Some(field.into());
        self
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, [(header::CONTENT_TYPE, PROBLEM_JSON)], body).into_response();
        response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after_s {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            let challenge = HeaderValue::from_static("Bearer realm=\"quorate\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
        }
        response
    }
}

impl From<Stopped> for Problem {
    fn from(_: Stopped) -> Self {
        Self::unavailable("the aggregator is shutting down: try again in a moment")
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Unavailable { .. } => {
                tracing::error!(%error, "a request failed");
                Self::unavailable(
                    "the store does not answer: try again in a moment; the aggregator's log has the cause",
                )
            }
            StoreError::Exists { .. } => Self::conflict("exists", "it exists already: take another name"),
            StoreError::TooLarge { .. } => Self::unprocessable(error.to_string()),
            StoreError::Corrupt { .. } => Self::internal(&error),
        }
    }
}

impl From<ArchiveError> for Problem {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Store(error) => error.into(),
            ArchiveError::Inventory { .. } => Self::internal(&error),
        }
    }
}

impl From<FoldError> for Problem {
    fn from(error: FoldError) -> Self {
        match error {
            FoldError::Busy => Self::busy(error.to_string(), 1),
            FoldError::TooEarly => Self::new(StatusCode::NOT_FOUND, "not_found", error.to_string()),
            FoldError::Archive(error) => error.into(),
            FoldError::Ended(error) => Self::internal(&error),
        }
    }
}

impl From<ReplaceError> for Problem {
    fn from(error: ReplaceError) -> Self {
        match error {
            ReplaceError::Conflict { .. } => {
                let told = format!("{error}: read it again and repeat the change");
                Self::new(StatusCode::PRECONDITION_FAILED, "changed_meanwhile", told)
            }
            ReplaceError::Store(error) => error.into(),
        }
    }
}

impl From<InventoryError> for Problem {
    fn from(error: InventoryError) -> Self {
        let problem = Self::unprocessable(error.to_string());
        match error.place() {
            Some((owner, field)) => problem.about(owner, field),
            None => problem,
        }
    }
}
