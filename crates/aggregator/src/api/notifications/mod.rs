//! Messages: channels and a test of them, rules, mutes, and what became of what was sent.

pub mod channels;
pub mod deliveries;
pub mod mutes;
pub mod rules;

use serde::Serialize;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::Api;
use super::access::Caller;
use super::audit::{self, Act};
use super::problem::Problem;

/// What is under `/notifications`.
pub(super) fn router() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(channels::list_channels))
        .routes(routes!(channels::put_channel, channels::delete_channel))
        .routes(routes!(channels::test_channel))
        .routes(routes!(rules::get_rules, rules::put_rules))
        .routes(routes!(mutes::list_mutes))
        .routes(routes!(mutes::put_mute, mutes::delete_mute))
        .routes(routes!(deliveries::list_deliveries))
        .routes(routes!(deliveries::redeliver))
}

/// A change is in force when it is answered, and in the audit. Nothing in `before` and `after` is secret.
async fn changed<T: Serialize>(
    api: &Api,
    caller: &Caller,
    act: &'static str,
    subject: &str,
    (before, after): (Option<&T>, Option<&T>),
) -> Result<(), Problem> {
    api.books.reread(&api.store).await?;
    let (before, after) = (before.and_then(audit::shown), after.and_then(audit::shown));
    audit::record(api, caller, Act { act, subject, before, after, ..Act::default() }).await;
    Ok(())
}
