//! `explain`: why a server, entry point or route is as it is.

use clap::Args;
use quorate_core::verdict::{State, Status};
use serde_json::Value;

use super::client::{Client, encoded, parsed};
use super::{End, Failure, print, routes};
use crate::api::entry_points::EntryPage;
use crate::api::explain::SentenceView;
use crate::api::servers::{ServerDetail, SessionView};
use crate::gateway::Worth;

/// What to explain.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A server (nl-1), entry point (nl-1/tls) or route
    id: String,
}

pub async fn run(client: &Client, args: &ExplainArgs) -> Result<End, Failure> {
    if let Some((server, name)) = args.id.split_once('/') {
        return entry_point(client, &format!("/api/v1/entry-points/{}/{}", encoded(server), encoded(name))).await;
    }
    match client.get::<Value>(&format!("/api/v1/servers/{}", encoded(&args.id))).await {
        Ok(found) => server(client, &found),
        Err(of_server) => match client.get::<Value>(&format!("/api/v1/routes/{}", encoded(&args.id))).await {
            Ok(found) => routes::explain(client, &found),
            // The servers' refusal is the one to tell: most ids are theirs.
            Err(_) => Err(of_server),
        },
    }
}

fn server(client: &Client, found: &Value) -> Result<End, Failure> {
    let detail: ServerDetail = parsed(found.clone())?;
    let is_standing = Status::ALL.into_iter().any(|status| status.stands() && status.as_str() == detail.row.status);
    let end = if is_standing || detail.row.plan_refused.is_some() { End::VerdictsStand } else { End::Fine };
    if client.json {
        print::json(found)?;
        return Ok(end);
    }
    print::line_painted(&format!("{}  {}  {}", detail.row.id, print::word(&detail.row.status), detail.row.text))?;
    print::line(&format!("  since {}", print::time(detail.row.since_ms)))?;
    sentences(&detail.explanation)?;
    if let Some(session) = &detail.session {
        print::line(&format!("  Its agent is connected from {}.", whence(session)))?;
    }
    Ok(end)
}

/// From where a session came, by what was measured and what was claimed, and since when.
fn whence(session: &SessionView) -> String {
    let SessionView { peer_addr, edge, claimed_addr, claim, .. } = session;
    let since = print::time(session.since_ms);
    let Some(edge) = edge else { return format!("{peer_addr} since {since}") };
    let through = format!("{peer_addr}, which is edge {edge}, since {since}");
    match claimed_addr {
        Some(claimed) if claim.as_deref() == Some(Worth::Unverified.as_str()) => {
            format!("{through}; it is said to come from {claimed} (unverified)")
        }
        Some(claimed) => format!("{through}; the edge says that it comes from {claimed}"),
        None => format!("{through}; the edge does not say from where"),
    }
}

async fn entry_point(client: &Client, path: &str) -> Result<End, Failure> {
    let found: Value = client.get(path).await?;
    let page: EntryPage = parsed(found.clone())?;
    let fine = [State::Clear.as_str(), Status::Disabled.as_str()];
    let end = if fine.contains(&page.detail.row.state.as_str()) { End::Fine } else { End::VerdictsStand };
    if client.json {
        print::json(&found)?;
        return Ok(end);
    }
    let row = &page.detail.row;
    print::line_painted(&format!("{}  {}  tier {} (0 is best, 4 worst)", row.id, print::word(&row.state), row.tier))?;
    sentences(&page.explanation)?;
    Ok(end)
}

fn sentences(sentences: &[SentenceView]) -> Result<(), Failure> {
    for sentence in sentences {
        let rules =
            if sentence.rules.is_empty() { String::new() } else { format!("  [{}]", sentence.rules.join(", ")) };
        print::line(&format!("  {}{rules}", sentence.text))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
