//! Extractors whose refusals are problem documents.

use axum::Json;
use axum::extract::rejection::{JsonRejection, PathRejection, QueryRejection};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::problem::Problem;

/// Most bytes of a request's body.
pub const BODY_BYTES_MAX: usize = 1 << 20;

/// A JSON body.
pub struct Body<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        match Json::<T>::from_request(request, state).await {
            Ok(Json(body)) => Ok(Self(body)),
            Err(rejection) => Err(refused_body(&rejection)),
        }
    }
}

fn refused_body(rejection: &JsonRejection) -> Problem {
    let status = rejection.status();
    match rejection {
        JsonRejection::JsonDataError(_) => Problem::unprocessable(rejection.body_text()),
        JsonRejection::MissingJsonContentType(_) => {
            Problem::new(status, "unsupported_media_type", "send the body as Content-Type: application/json")
        }
        _ if status == StatusCode::PAYLOAD_TOO_LARGE => {
            Problem::new(status, "too_large", format!("the body is larger than {BODY_BYTES_MAX} bytes"))
        }
        _ => Problem::bad_request(rejection.body_text()),
    }
}

/// Parameters after the `?`.
pub struct Params<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let found: Result<Query<T>, QueryRejection> = Query::from_request_parts(parts, state).await;
        found.map(|Query(params)| Self(params)).map_err(|rejection| Problem::bad_request(rejection.body_text()))
    }
}

/// Names within the path.
pub struct Named<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Named<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let found: Result<Path<T>, PathRejection> = Path::from_request_parts(parts, state).await;
        found.map(|Path(name)| Self(name)).map_err(|rejection| Problem::bad_request(rejection.body_text()))
    }
}
