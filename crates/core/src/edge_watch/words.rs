//! What is told of an edge: the fact with its id and address, and what to do.
//!
//! An operator who has never thought of edges before reads these alone, at night. So each says what it means for the
//! agents, and where to look first.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::net::SocketAddr;

use super::{About, Address, AddressState, Alert, Answer, EdgeWatch, Knock, Round, Trouble};
use crate::time::Moment;
use crate::words::names;

/// Everything that stands, in words, by trouble.
pub(super) fn alerts(watch: &EdgeWatch, round: &Round) -> Vec<Alert> {
    let mut alerts = Vec::new();
    for (at, address) in watch.addresses() {
        let Some(trouble) = address.state.trouble() else { continue };
        let agents = sitting_on(round, address.edge.as_ref());
        let Some((fact, advice)) = of_address(at, address, agents) else { continue };
        alerts.push(alert(trouble, About::Address(at), address.edge.clone(), address.since, fact, advice));
    }
    let mut past: Vec<(Arc<str>, Moment)> = Vec::new();
    for ((trouble, about), condition) in &watch.conditions {
        let Some(since) = condition.since() else { continue };
        let (fact, advice) = match about {
            About::Gateway => unresolved(watch, round),
            About::Address(at) => unlisted(*at),
            About::Edge(edge) if *trouble == Trouble::NotInDns => not_in_dns(edge),
            About::Edge(edge) => unused(watch, round, edge),
            About::Agent(server) => {
                past.push((server.clone(), since));
                continue;
            }
        };
        let edge = match about {
            About::Edge(edge) => Some(edge.clone()),
            About::Gateway | About::Address(_) | About::Agent(_) => None,
        };
        alerts.push(alert(*trouble, about.clone(), edge, since, fact, advice));
    }
    alerts.extend(all_past(past, round));
    alerts.sort_by(|a, b| (a.trouble, &a.about).cmp(&(b.trouble, &b.about)));
    alerts
}

fn alert(trouble: Trouble, about: About, edge: Option<Arc<str>>, since: Moment, fact: String, advice: String) -> Alert {
    Alert { trouble, about, edge, since, fact, advice, agents: Vec::new() }
}

fn of_address(at: SocketAddr, address: &Address, agents: usize) -> Option<(String, String)> {
    let whose = address.edge.as_ref().map_or_else(|| at.to_string(), |edge| format!("Edge {edge} ({at})"));
    let why = match address.last {
        Some((_, Knock::Nobody { kind, .. } | Knock::Foreign { kind, .. } | Knock::Unreachable(kind))) => {
            format!(" ({kind})")
        }
        Some((_, Knock::Through { .. } | Knock::Untold(_))) | None => String::new(),
    };
    let ip = at.ip();
    Some(match address.state {
        AddressState::Unknown | AddressState::Through => return None,
        AddressState::Unreachable if agents > 0 => (
            format!("{whose} cannot be reached from the aggregator{why}, though {} through it", come(agents)),
            format!(
                "So it is this machine's own way out that fails: let its connections to {at}, and the replies to them, \
                 pass its firewall."
            ),
        ),
        AddressState::Unreachable => (
            format!("{whose} is in DNS and cannot be reached{why}"),
            format!(
                "See that the host is up and its forwarder listens there. Until then take {ip} out of DNS, so that no \
                 agent tries it."
            ),
        ),
        AddressState::ForwardsNothing if address.edge.is_none() => (
            format!("{whose} takes connections and forwards nothing to the gateway{why}"),
            format!(
                "No edge of the inventory has it, and a PROXY header from a stranger is refused. If it is an edge, add it: \
                 `quorate-aggregator edge add ID --network {ip}`; else take it out of DNS."
            ),
        ),
        AddressState::ForwardsNothing => (
            format!("{whose} takes connections and forwards nothing to the gateway{why}"),
            format!(
                "See that its forwarder has the gateway's address and port, that the gateway's firewall lets this edge in, \
                 and that it sends PROXY headers if it must. Until then take {ip} out of DNS."
            ),
        ),
        AddressState::Foreign => (
            format!("{whose} leads to somebody who is not this gateway{why}"),
            format!(
                "Take {ip} out of DNS at once, and look at what answers there. Agents refuse it, so nothing is lost but \
                 that edge. If its forwarder was pointed at another aggregator by mistake, point it at this one."
            ),
        ),
    })
}

fn unresolved(watch: &EdgeWatch, round: &Round) -> (String, String) {
    let gateway = &round.gateway;
    if watch.answer() == Some(&Answer::Itself) {
        return (
            format!("{gateway} is this machine itself to the system's resolver, so its edges cannot be watched"),
            String::from(
                "Take the name out of this machine's hosts file, or give the name that agents dial with --gateway-name.",
            ),
        );
    }
    (
        format!("The system's resolver has no address for {gateway}"),
        String::from(
            "See to its A and AAAA records, and to this machine's resolver. Agents go on with the last addresses they know.",
        ),
    )
}

fn unlisted(at: SocketAddr) -> (String, String) {
    let ip = at.ip();
    (
        format!("{at} is in DNS and belongs to no edge of the inventory"),
        format!(
            "If it is an edge, add it: `quorate-aggregator edge add ID --network {ip}`, or with `edge set` to the networks \
             of the one that it belongs to. If it is the gateway's own, take it out of DNS: that address is what edges \
             are there to hide."
        ),
    )
}

fn not_in_dns(edge: &str) -> (String, String) {
    (
        format!("Edge {edge} is in the inventory and has no address in DNS"),
        format!(
            "Agents cannot find it: add its address to the gateway's name, or remove it with `quorate-aggregator edge \
             remove {edge}`. If agents dial it at another address than its connections come from, add that one to its \
             networks too."
        ),
    )
}

fn unused(watch: &EdgeWatch, round: &Round, edge: &str) -> (String, String) {
    let at: Vec<String> = watch.of_edge(edge).map(|(at, _)| at.to_string()).collect();
    let others = round.sitting.iter().filter(|(_, sits_on)| sits_on.is_some()).count();
    (
        format!("Edge {edge} ({}) is in DNS and leads to the gateway, but no agent comes through it", at.join(", ")),
        format!(
            "Agents measure every edge four times a day, and {} through others: something on their way to this one \
             is closed. `quorate-agent edges` on one of them says what it sees.",
            come(others)
        ),
    )
}

fn all_past(past: Vec<(Arc<str>, Moment)>, round: &Round) -> Option<Alert> {
    let since = past.iter().map(|(_, since)| *since).min()?;
    let listed: Vec<String> = past.iter().map(|(server, _)| server.to_string()).collect();
    let (come, gateway) = (if past.len() == 1 { "comes" } else { "come" }, &round.gateway);
    let fact = format!("{} {come} to the gateway past the edges", names(&listed));
    let advice = format!(
        "They know its address, and it shows on their way. Give them the gateway's name ({gateway}) in agent.toml. If they \
         do use an edge, add the network that its connections come from to it."
    );
    let agents = past.into_iter().map(|(server, _)| server).collect();
    Some(Alert { agents, ..alert(Trouble::Past, About::Gateway, None, since, fact, advice) })
}

fn sitting_on(round: &Round, edge: Option<&Arc<str>>) -> usize {
    round.sitting.iter().filter(|(_, sits_on)| sits_on.is_some() && sits_on.as_ref() == edge).count()
}

/// "an agent comes", "7 agents come".
fn come(agents: usize) -> String {
    if agents == 1 { String::from("an agent comes") } else { format!("{agents} agents come") }
}
