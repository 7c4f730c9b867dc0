//! Whether the process lives, and whether what it says can be used.

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use super::problem::Problem;
use super::{Api, label};

/// The process answers.
pub async fn healthz() -> Json<Value> {
    Json(json!({"status": "ok"}))
}

/// The store answers, and the engine has evaluated within three intervals.
pub async fn readyz(State(api): State<Api>) -> Result<Json<Value>, Problem> {
    if let Err(error) = api.store.ping().await {
        tracing::warn!(%error, "not ready");
        return Err(Problem::unavailable("the store does not answer: see the aggregator's log"));
    }
    let snapshot = api.engine.snapshot();
    let now = api.clock.now();
    if label::is_stale(snapshot.at, snapshot.policy.interval, now) {
        let age = now.since(snapshot.at).as_secs();
        return Err(Problem::unavailable(format!("the last evaluation is {age} s old: the engine is stuck")));
    }
    Ok(Json(json!({"status": "ready", "generation": snapshot.generation})))
}
