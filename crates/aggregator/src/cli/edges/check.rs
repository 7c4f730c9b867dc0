//! `edge check`: asks a third host's view together, prints what it means.

use std::net::{IpAddr, SocketAddr};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use clap::Args;
use quorate_core::edge_watch::Knock;
use serde_json::{Value, json};

use super::super::client::{Client, Reach, encoded, parsed};
use super::super::{End, Failure, print};
use crate::api::edge_view::{EdgeListing, Numbers};
use crate::edge_check::{Finding, Looker, Seen, TextSeen, UNPROVEN, Weight, conclude};
use crate::edge_watch::{Dialled, Resolver, Trust};

/// Where the gateway listens unless `serve` was told otherwise.
const GATEWAY_PORT: u16 = 8443;

/// Most badges and feeds that are read: what names an address in one of them does so in most.
const TEXTS_MAX: usize = 100;

/// Where to look.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// What agents dial, HOST or HOST:PORT; asked of the aggregator when absent
    #[arg(long, value_name = "NAME")]
    gateway: Option<Place>,
    /// An edge to try before it is in DNS (repeat for more); those that DNS has when absent
    #[arg(long = "edge", value_name = "ADDRESS[:PORT]")]
    edges: Vec<Spot>,
    /// The gateway's own address, which must not answer (repeat for more); without port the one that agents dial and 8443
    #[arg(long = "origin", required = true, value_name = "ADDRESS[:PORT]")]
    origins: Vec<Spot>,
    /// Other names that the public knows, as of the panel or the API: where they lead, their certificates, their first page
    #[arg(long = "public", value_name = "NAME")]
    public: Vec<String>,
    /// The authority that the gateway must be of: the last part of an enrolment token; asked of the aggregator when absent
    #[arg(long, value_name = "HASH")]
    authority: Option<Authority>,
}

/// A host and perhaps a port.
#[derive(Debug, Clone)]
struct Place {
    host: String,
    port: Option<u16>,
}

impl std::str::FromStr for Place {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let wrong = || format!("'{word}' is no host name: give one like watch.example.org or watch.example.org:8443");
        if let Ok(at) = word.parse::<SocketAddr>() {
            return Ok(Self { host: at.ip().to_string(), port: Some(at.port()) });
        }
        let (host, port) = match word.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') => (host, Some(port.parse().map_err(|_| wrong())?)),
            _ => (word, None),
        };
        rustls_pki_types::ServerName::try_from(host).map_err(|_| wrong())?;
        Ok(Self { host: host.to_owned(), port })
    }
}

/// An address and perhaps a port.
#[derive(Debug, Clone, Copy)]
enum Spot {
    At(SocketAddr),
    Host(IpAddr),
}

impl std::str::FromStr for Spot {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let host = word.parse().map(Self::Host);
        let at = || word.parse().ok().filter(|at: &SocketAddr| at.port() != 0).map(Self::At);
        host.ok()
            .or_else(at)
            .ok_or_else(|| format!("'{word}' is no address: give one like 203.0.113.5 or 203.0.113.5:8443"))
    }
}

/// The hash of an authority's key.
#[derive(Debug, Clone, Copy)]
struct Authority([u8; 32]);

impl std::str::FromStr for Authority {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let bytes = URL_SAFE_NO_PAD.decode(word).ok().and_then(|bytes| bytes.try_into().ok());
        bytes
            .map(Self)
            .ok_or_else(|| format!("'{word}' is no hash: give the last part of an enrolment token, after its last dot"))
    }
}

/// Looks and tells.
pub async fn run(args: &CheckArgs, reach: &Reach) -> Result<End, Failure> {
    let client = at_hand(reach)?;
    let known = match &client {
        Some(client) => known(client, reach).await?,
        None => None,
    };
    let gateway = gateway(args, known.as_ref())?;
    let authority = match (args.authority, &known) {
        (Some(Authority(hash)), _) => Some(hash),
        (None, Some(known)) => known.watch.authority.parse().ok().map(|Authority(hash)| hash),
        (None, None) => None,
    };
    let looker = Looker {
        edges: places(&args.edges, &[gateway.port]),
        origins: places(&args.origins, &[gateway.port, GATEWAY_PORT]),
        gateway,
        public: args.public.clone(),
        trust: authority.map_or(Trust::OnSight, Trust::Pinned),
        resolver: Resolver::default(),
    };
    let mut seen = looker.look().await.map_err(|error| Failure::new(error.to_string()))?;
    match (&client, &known) {
        (Some(client), Some(_)) => read_api(client, &mut seen).await?,
        _ => seen.unseen.push("Feeds and badges were not read: give --url and --token of the aggregator.".to_owned()),
    }
    let findings = conclude(&seen);
    let stands = findings.iter().any(|finding| finding.weight == Weight::Stands);
    if reach.json {
        print::json(&as_json(&seen, &findings, stands))?;
    } else {
        tell(&seen, &findings, stands)?;
    }
    Ok(if stands { End::VerdictsStand } else { End::Fine })
}

/// A way to the aggregator, where somebody gave one or this is its host.
fn at_hand(reach: &Reach) -> Result<Option<Client>, Failure> {
    let is_asked_for = reach.url.is_some() || reach.token.is_some();
    match Client::new(reach) {
        Ok(client) => Ok(Some(client)),
        Err(failure) if is_asked_for => Err(failure),
        Err(_) => Ok(None),
    }
}

async fn known(client: &Client, reach: &Reach) -> Result<Option<EdgeListing>, Failure> {
    let found: Result<Value, Failure> = client.get("/api/v1/edges?limit=1000").await;
    match found {
        Ok(found) => parsed(found).map(Some),
        Err(failure) if reach.url.is_some() || reach.token.is_some() => Err(failure),
        Err(_) => Ok(None),
    }
}

fn gateway(args: &CheckArgs, known: Option<&EdgeListing>) -> Result<Dialled, Failure> {
    let place = if let Some(place) = &args.gateway {
        place.clone()
    } else {
        let told = known.and_then(|known| known.watch.gateway.first());
        let told = told.ok_or_else(|| {
            Failure::new("which name do agents dial? Give --gateway, or --url and --token of the aggregator")
        })?;
        told.parse().map_err(Failure::new)?
    };
    Ok(Dialled { host: place.host, port: place.port.unwrap_or(GATEWAY_PORT) })
}

/// Each address at its own port, or at all of `ports`.
fn places(given: &[Spot], ports: &[u16]) -> Vec<SocketAddr> {
    let mut all = Vec::new();
    for place in given {
        match *place {
            Spot::At(at) => all.push(at),
            Spot::Host(ip) => all.extend(ports.iter().map(|port| SocketAddr::new(ip, *port))),
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// What the API gives to panels and pages.
async fn read_api(client: &Client, seen: &mut Seen) -> Result<(), Failure> {
    let routes: Vec<Value> = client.list("/api/v1/routes").await?;
    let servers: Vec<Value> = client.list("/api/v1/servers").await?;
    let ids = |rows: &[Value]| -> Vec<String> {
        rows.iter().filter_map(|row| row.get("id")?.as_str()).take(TEXTS_MAX).map(encoded).collect()
    };
    let feeds = ids(&routes).into_iter().map(|id| format!("/api/v1/routes/{id}/feed"));
    let badges = ids(&servers).into_iter().map(|id| format!("/badge/{id}.svg"));
    let fixed = ["/", "/api/v1/openapi.json"].into_iter().map(str::to_owned);
    for path in fixed.chain(feeds).chain(badges) {
        let text = client.text(&path).await?;
        seen.texts.push(TextSeen { of: format!("{path} of the API"), text });
    }
    Ok(())
}

fn tell(seen: &Seen, findings: &[Finding], stands: bool) -> Result<(), Failure> {
    print::line(&format!("{} as seen from here:", seen.gateway))?;
    for Finding { weight, told } in findings {
        let shape = match weight {
            Weight::Fine => '●',
            Weight::Untold => '○',
            Weight::Stands => '✕',
        };
        print::line_painted(&format!("  {shape} {told}"))?;
    }
    print::line(if stands {
        "It is not as it should be: see the lines with ✕."
    } else {
        "Only edges reach the gateway, as far as this machine can see."
    })?;
    print::line(UNPROVEN)
}

fn as_json(seen: &Seen, findings: &[Finding], stands: bool) -> Value {
    let row = |at: SocketAddr, knock: Knock| {
        let Numbers { connect_ms, handshake_ms, failure } = Numbers::of(knock);
        json!({"address": at, "connect_ms": connect_ms, "handshake_ms": handshake_ms, "failure": failure})
    };
    json!({
        "gateway": seen.gateway,
        "stands": stands,
        "edges": seen.edges.iter().map(|edge| row(edge.at, edge.knock)).collect::<Vec<_>>(),
        "origins": seen.origins.iter().map(|origin| row(origin.at, origin.knock)).collect::<Vec<_>>(),
        "findings": findings,
        "unproven": UNPROVEN,
    })
}
