//! `edge list` and `edge show`: what was declared, what the aggregator found when it last walked round, who sits where.

use serde_json::Value;

use super::super::client::{Client, encoded, parsed};
use super::super::{End, Failure, print};
use crate::api::edge_view::{AddressView, AgentView, AlertView, EdgeListing, EdgeView, WatchView};

/// More than there may be.
const ALL: &str = "/api/v1/edges?limit=1000";

pub(super) async fn list(client: &Client) -> Result<End, Failure> {
    let found: Value = client.get(ALL).await?;
    let EdgeListing { items: edges, watch, .. } = parsed(found.clone())?;
    let stands = !watch.alerts.is_empty() || edges.iter().any(|edge| !edge.alerts.is_empty());
    let end = if stands { End::VerdictsStand } else { End::Fine };
    if client.json {
        print::json(&found)?;
        return Ok(end);
    }
    if edges.is_empty() {
        print::line("No edges yet: add one with `quorate-aggregator edge add ID --network ADDRESS`.")?;
        return Ok(end);
    }
    let mut table = print::table(&[
        "Edge",
        "State",
        "Since",
        "Address",
        "TCP",
        "TLS through it",
        "Agents",
        "Networks",
        "PROXY header",
    ]);
    for edge in &edges {
        let EdgeView { declared, state, since_ms, addresses, agents, .. } = edge;
        let optional_since = declared.optional_since_ms.map(|since| format!(" since {}", print::time(since)));
        let rest = [
            agents.len().to_string(),
            declared.networks.join(", "),
            format!("{}{}", declared.proxy.as_str(), optional_since.unwrap_or_default()),
        ];
        let first = [declared.id.clone(), print::word(state), since_ms.map_or_else(none, print::time)];
        let mut addresses = addresses.iter().map(measured);
        let one = addresses.next().unwrap_or_else(|| ["–", "–", "–"].map(str::to_owned));
        table.add_row(first.into_iter().chain(one).chain(rest));
        for more in addresses {
            table.add_row([String::new(), String::new(), String::new()].into_iter().chain(more));
        }
    }
    print::show(&table)?;
    of_the_set(&watch)?;
    for EdgeView { declared, warning, .. } in &edges {
        if let Some(warning) = warning {
            print::line_painted(&format!("▲ {}: {warning}", declared.id))?;
        }
    }
    Ok(end)
}

pub(super) async fn show(client: &Client, id: &str) -> Result<End, Failure> {
    let found: Value = client.get(&format!("/api/v1/edges/{}", encoded(id))).await?;
    let edge: EdgeView = parsed(found.clone())?;
    let end = if edge.alerts.is_empty() { End::Fine } else { End::VerdictsStand };
    if client.json {
        print::json(&found)?;
        return Ok(end);
    }
    print::line_painted(&format!("{}  {}", edge.declared.id, print::word(&edge.state)))?;
    if let Some(since) = edge.since_ms {
        print::line(&format!("  since {}", print::time(since)))?;
    }
    print::line(&format!("  Its connections come from {}.", edge.declared.networks.join(", ")))?;
    for address in &edge.addresses {
        let [at, connect, handshake] = measured(address);
        print::line(&format!("  {at}: TCP {connect}, TLS through it {handshake}"))?;
    }
    match edge.agents.len() {
        0 => print::line("  No agent comes through it.")?,
        1 => print::line("  One agent comes through it:")?,
        count => print::line(&format!("  {count} agents come through it:"))?,
    }
    edge.agents.iter().try_for_each(agent)?;
    edge.alerts.iter().try_for_each(alert)?;
    Ok(end)
}

/// Address and the two numbers of its last knock; a failure stands where its number would.
fn measured(address: &AddressView) -> [String; 3] {
    let failure = || address.failure.clone().unwrap_or_else(none);
    let (connect, handshake) = match (address.connect_ms, address.handshake_ms) {
        (Some(connect), Some(handshake)) => (format!("{connect:.1} ms"), format!("{handshake:.1} ms")),
        (Some(connect), None) => (format!("{connect:.1} ms"), failure()),
        (None, _) => (failure(), none()),
    };
    [address.address.clone(), connect, handshake]
}

fn of_the_set(watch: &WatchView) -> Result<(), Failure> {
    let gateway = watch.gateway.join(", ");
    match watch.state.as_str() {
        "no_name" => print::line(&format!(
            "Agents dial {gateway}, an address and no name: there is no set of edges in DNS to watch. Give `serve \
             --gateway-name` the name that has the edges' addresses."
        ))?,
        "waiting" => print::line("The edges have not been looked at yet: it takes half a minute.")?,
        _ => {}
    }
    if !watch.past.is_empty() {
        print::line(&format!("Past the edges ({}):", watch.past.len()))?;
        watch.past.iter().try_for_each(agent)?;
    }
    watch.alerts.iter().try_for_each(alert)
}

fn agent(agent: &AgentView) -> Result<(), Failure> {
    print::line(&format!("    {} since {}", agent.server, print::time(agent.since_ms)))
}

fn alert(alert: &AlertView) -> Result<(), Failure> {
    let shape = match alert.trouble.as_str() {
        "unlisted" | "not_in_dns" | "unused" | "past_the_edges" => '▲',
        _ => '✕',
    };
    print::line_painted(&format!("{shape} {} Since {}. {}", alert.fact, print::time(alert.since_ms), alert.advice))
}

fn none() -> String {
    "–".to_owned()
}
