//! What was seen, and what that means.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use quorate_core::edge_watch::Knock;
use quorate_core::outcome::FailureKind;
use serde::Serialize;

use super::{EdgeSeen, NameSeen, OriginSeen, Seen, mentions};

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How much it weighs.
    pub weight: Weight,
    /// What, and where there is something to do, what.
    pub told: String,
}

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    /// As it should be.
    Fine,
    /// It cannot be told from here.
    Untold,
    /// Something must be done.
    Stands,
}

/// Every finding, in the order of the look: edges, origins, what the public reads.
pub fn conclude(seen: &Seen) -> Vec<Finding> {
    let mut found: Vec<Finding> = seen.edges.iter().map(|edge| of_edge(seen, edge)).collect();
    found.extend(of_authorities(seen));
    found.extend(seen.origins.iter().map(|origin| of_origin(seen, origin)));
    found.extend(of_mentions(seen));
    found.extend(seen.unseen.iter().map(|told| finding(Weight::Untold, told.clone())));
    found
}

fn finding(weight: Weight, told: String) -> Finding {
    Finding { weight, told }
}

fn of_edge(seen: &Seen, edge: &EdgeSeen) -> Finding {
    let at = edge.at;
    if origins(seen).contains(&at.ip()) {
        let gateway = &seen.gateway;
        let told = format!(
            "{at} is the gateway's own address and in DNS for {gateway}: everybody can look it up. Take it out of DNS once \
             the edges are in."
        );
        return finding(Weight::Stands, told);
    }
    match edge.knock {
        Knock::Through { connect, handshake } => {
            let (connect, handshake) = (connect.as_secs_f64() * 1000.0, handshake.as_secs_f64() * 1000.0);
            finding(
                Weight::Fine,
                format!("{at} leads to the gateway: TCP {connect:.1} ms, TLS through it {handshake:.1} ms."),
            )
        }
        Knock::Nobody { kind, .. } => finding(
            Weight::Stands,
            format!(
                "{at} takes connections and forwards nothing ({kind}): see that its forwarder has the gateway's address, that \
                 the gateway's firewall lets it in, and that `edge list` has the address that its connections come from."
            ),
        ),
        Knock::Foreign { kind, .. } => finding(
            Weight::Stands,
            format!(
                "{at} leads to somebody who is not the gateway ({kind}): agents refuse it; keep it out of DNS and look at \
                 what answers there."
            ),
        ),
        Knock::Unreachable(kind) => {
            finding(Weight::Stands, format!("{at} takes no connections ({kind}): mend it, or keep it out of DNS."))
        }
        Knock::Untold(reason) => {
            finding(Weight::Untold, format!("{at} cannot be tried from here ({reason}): it may be well."))
        }
    }
}

fn of_authorities(seen: &Seen) -> Option<Finding> {
    let shown: BTreeSet<[u8; 32]> = seen.edges.iter().filter_map(|edge| edge.authority).collect();
    match (seen.expected_authority, shown.len()) {
        (Some(_), _) | (None, 0) => None,
        (None, 1) => Some(finding(
            Weight::Untold,
            "Whether it is your gateway that answers was taken on trust: give --authority, the last part of an enrolment \
             token, to have it checked."
                .to_owned(),
        )),
        (None, count) => Some(finding(
            Weight::Stands,
            format!(
                "The edges lead to {count} different gateways: at least one of them is not yours. Give --authority, the last \
                 part of an enrolment token, to learn which."
            ),
        )),
    }
}

fn of_origin(seen: &Seen, origin: &OriginSeen) -> Finding {
    let at = origin.at;
    let answers = |who: &str| {
        finding(
            Weight::Stands,
            format!(
                "{at} answers from here, {who}: who learns this address goes past the edges. Load deploy/edge/ on the \
                 gateway's host, so that its firewall lets in edges alone."
            ),
        )
    };
    let how = match origin.knock {
        Knock::Through { .. } => return answers("and it is the gateway"),
        Knock::Nobody { .. } | Knock::Foreign { .. } => return answers("though not as the gateway"),
        Knock::Untold(reason) => {
            return finding(
                Weight::Stands,
                format!("Whether {at} answers cannot be tried from here ({reason}): run this where it can."),
            );
        }
        Knock::Unreachable(FailureKind::HostUnreachable) => {
            return finding(
                Weight::Stands,
                format!("Nobody is at {at} (host_unreachable), which proves nothing: give the gateway's own address."),
            );
        }
        Knock::Unreachable(kind) => kind,
    };
    let is_proof = seen.edges.iter().any(|edge| edge.at.is_ipv4() == at.is_ipv4() && took_a_connection(edge.knock));
    if is_proof {
        finding(Weight::Fine, format!("{at} takes no connection from here ({how}), while edges do."))
    } else {
        let family = if at.is_ipv4() { "IPv4" } else { "IPv6" };
        finding(
            Weight::Stands,
            format!(
                "{at} takes no connection from here ({how}), but no edge does over {family} either: that proves nothing. \
                 Run this where an edge answers."
            ),
        )
    }
}

fn took_a_connection(knock: Knock) -> bool {
    match knock {
        Knock::Through { .. } | Knock::Nobody { .. } | Knock::Foreign { .. } => true,
        Knock::Unreachable(_) | Knock::Untold(_) => false,
    }
}

fn of_mentions(seen: &Seen) -> Vec<Finding> {
    let origins = origins(seen);
    let mut found = Vec::new();
    for NameSeen { name, known_as, addresses } in &seen.names {
        let led: Vec<String> = addresses.intersection(&origins).map(ToString::to_string).collect();
        if !led.is_empty() {
            found.push(format!(
                "{name} {known_as} and leads to {}: who knows the name knows the gateway's address. Put another address \
                 before it, or drop the name.",
                led.join(", ")
            ));
        }
    }
    for text in &seen.texts {
        for ip in origins.iter().filter(|ip| mentions(&text.text, **ip)) {
            found.push(format!("{} names {ip}, which is the gateway's: take it out.", text.of));
        }
    }
    if found.is_empty() && !origins.is_empty() {
        let looked = seen.names.len() + seen.texts.len();
        return vec![finding(
            Weight::Fine,
            format!("Nothing public that was looked at names the gateway's address ({looked} names and texts)."),
        )];
    }
    found.into_iter().map(|told| finding(Weight::Stands, told)).collect()
}

fn origins(seen: &Seen) -> BTreeSet<IpAddr> {
    seen.origins.iter().map(|origin| SocketAddr::ip(&origin.at)).collect()
}
