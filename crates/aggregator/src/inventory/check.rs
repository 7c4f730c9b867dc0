//! From the inventory as written to a checked [`Fleet`] and [`Policy`]; what is refused is named by owner and field.

use std::net::IpAddr;
use std::time::Duration;

use quorate_core::assign::AssignError;
use quorate_core::fleet::{Country, EntryPointSpec, Fleet, FleetError, RouteSpec, ServerSpec, default_site};
use quorate_core::lane::Lane;
use quorate_core::policy::{Policy, PolicyError, Share};
use quorate_core::probe::{Probe, ProbeKind, Verify};

use super::{EntryPointEntry, Inventory, RouteEntry, ServerEntry};

/// Why an inventory was refused, and where: the reader of a file adds the line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InventoryError {
    /// A field of a server, entry point, route or the policy.
    #[error("{owner}: {field}: {problem}")]
    Field {
        /// Whose field: `server 'nl-1'`, `entry point 'nl-1/tls'`, `route 'eu'`, `policy`.
        owner: String,
        /// Its name.
        field: &'static str,
        /// What is wrong and what to do.
        problem: String,
    },
    /// The fleet as a whole.
    #[error(transparent)]
    Fleet(#[from] FleetError),
    /// The policy as a whole.
    #[error("policy: {0}")]
    Policy(#[from] PolicyError),
    /// The policy with this many servers.
    #[error("policy: {0}")]
    Plan(#[from] AssignError),
}

impl InventoryError {
    /// Whose field it is about: the owner as in [`InventoryError::Field`], and the field's name. None where it is about the
    /// fleet as a whole.
    pub fn place(&self) -> Option<(String, &'static str)> {
        let fleet = match self {
            Self::Field { owner, field, .. } => return Some((owner.clone(), field)),
            Self::Policy(error) => return Some(("policy".to_owned(), policy_field(error))),
            Self::Plan(error) => return Some(("policy".to_owned(), plan_field(error))),
            Self::Fleet(error) => error,
        };
        match fleet {
            FleetError::DuplicateServer(id) => Some((format!("server '{id}'"), "id")),
            FleetError::DuplicateEntryPoint(id) => Some((format!("entry point '{id}'"), "name")),
            FleetError::DuplicateRoute(id) => Some((format!("route '{id}'"), "id")),
            FleetError::NoEntryPoints(id) => Some((format!("server '{id}'"), "entry_points")),
            FleetError::UnknownUpstream { entry_point, .. } => {
                Some((format!("entry point '{entry_point}'"), "upstreams"))
            }
            FleetError::UnknownEntryPoint { route, .. } | FleetError::RepeatedEntryPoint { route, .. } => {
                Some((format!("route '{route}'"), "entry_points"))
            }
            FleetError::ZeroWeight(id) => Some((format!("entry point '{id}'"), "weight")),
            FleetError::Cycle(servers) => {
                servers.split(" → ").next().map(|first| (format!("server '{first}'"), "entry_points"))
            }
            FleetError::EmptyId(_) | FleetError::TooMany { .. } => None,
        }
    }
}

const fn plan_field(error: &AssignError) -> &'static str {
    match error {
        AssignError::Spacing { .. } => "min_spacing_ms",
        AssignError::NoWitnesses => "witnesses_per_target",
        AssignError::RoundTooLong { .. } => "stale_after_ms",
    }
}

fn policy_field(error: &PolicyError) -> &'static str {
    match error {
        PolicyError::Quorum(_) => "quorum",
        PolicyError::SustainRounds => "sustain_rounds",
        PolicyError::HoldFor { .. } => "hold_for_ms",
        PolicyError::Interval => "interval_ms",
    }
}

impl Inventory {
    /// The checked fleet of this inventory.
    pub fn fleet(&self) -> Result<Fleet, InventoryError> {
        let servers = self.servers.iter().map(server).collect::<Result<_, _>>()?;
        let routes = self.routes.iter().map(route).collect::<Result<_, _>>()?;
        Ok(Fleet::new(servers, routes)?)
    }

    /// The checked policy of this inventory.
    pub fn policy(&self) -> Result<Policy, InventoryError> {
        let set = &self.policy;
        let default = Policy::default();
        let span = |ms: Option<u64>, default: Duration| ms.map_or(default, Duration::from_millis);
        Ok(Policy {
            interval: span(set.interval_ms, default.interval),
            stale_after: span(set.stale_after_ms, default.stale_after),
            sustain_rounds: set.sustain_rounds.unwrap_or(default.sustain_rounds),
            sustain_for: span(set.sustain_for_ms, default.sustain_for),
            witness_floor: share("witness_floor", set.witness_floor, default.witness_floor)?,
            quorum: set.quorum.unwrap_or(default.quorum),
            quorum_share: share("quorum_share", set.quorum_share, default.quorum_share)?,
            half_blind_share: share("half_blind_share", set.half_blind_share, default.half_blind_share)?,
            hold_for: span(set.hold_for_ms, default.hold_for),
        }
        .checked()?)
    }
}

/// A decimal number as an exact share: at most three decimals, within 0..=1.
pub fn parse_share(number: f64) -> Option<Share> {
    let thousandths = (number * 1000.0).round();
    // Both are the double nearest to the same decimal, if it has no more than three places.
    #[allow(clippy::float_cmp, reason = "a fourth decimal, however small, is refused")]
    let exact = thousandths / 1000.0 == number && (0.0..=1000.0).contains(&thousandths);
    #[allow(clippy::cast_sign_loss, reason = "checked to lie within 0..=1000")]
    if exact { Share::from_thousandths(thousandths as u16) } else { None }
}

fn share(field: &'static str, number: Option<f64>, default: Share) -> Result<Share, InventoryError> {
    let Some(number) = number else { return Ok(default) };
    parse_share(number).ok_or_else(|| InventoryError::Field {
        owner: "policy".to_owned(),
        field,
        problem: format!("{number} is no share: use 0 to 1 with at most three decimals"),
    })
}

fn server(entry: &ServerEntry) -> Result<ServerSpec, InventoryError> {
    let wrong =
        |field, problem: String| InventoryError::Field { owner: format!("server '{}'", entry.id), field, problem };
    if entry.id.is_empty() || entry.id.contains(|c: char| c.is_whitespace() || c == '/') {
        return Err(wrong("id", "use a name without blanks or '/'".to_owned()));
    }
    let country = entry.country.as_deref().map(country).transpose().map_err(|problem| wrong("country", problem))?;
    if entry.address.is_empty() {
        return Err(wrong("address", "is empty: give an IP address or a host name".to_owned()));
    }
    let site = entry.site.clone().or_else(|| entry.address.parse::<IpAddr>().ok().map(default_site));
    let fallback = [EntryPointEntry::default()];
    let entry_points = if entry.entry_points.is_empty() { &fallback[..] } else { &entry.entry_points };
    Ok(ServerSpec {
        id: entry.id.clone(),
        country,
        site,
        verifier: entry.verifier,
        intent: entry.intent.into(),
        entry_points: entry_points.iter().map(|point| entry_point(entry, point)).collect::<Result<_, _>>()?,
    })
}

fn country(word: &str) -> Result<Country, String> {
    word.parse().map_err(|error| format!("'{word}': {error}"))
}

fn entry_point(server: &ServerEntry, entry: &EntryPointEntry) -> Result<EntryPointSpec, InventoryError> {
    let id = format!("{}/{}", server.id, entry.name.as_deref().unwrap_or(&entry.probe));
    let wrong = |field, problem: String| InventoryError::Field { owner: format!("entry point '{id}'"), field, problem };
    let kind: ProbeKind = entry.probe.parse().map_err(|error| wrong("probe", format!("'{}': {error}", entry.probe)))?;
    if entry.port == 0 {
        return Err(wrong("port", "is 0: use 1 to 65535".to_owned()));
    }
    let host = entry.address.as_ref().unwrap_or(&server.address);
    let ipv6 = match (entry.family.as_deref(), host.parse::<IpAddr>()) {
        (Some("ipv6"), Ok(IpAddr::V4(_))) | (Some("ipv4"), Ok(IpAddr::V6(_))) => {
            return Err(wrong("family", format!("does not fit the address {host}")));
        }
        (Some("ipv6"), _) | (None, Ok(IpAddr::V6(_))) => true,
        (Some("ipv4") | None, _) => false,
        (Some(other), _) => return Err(wrong("family", format!("'{other}': use ipv4 or ipv6"))),
    };
    let lane = match (kind.is_udp(), ipv6) {
        (false, false) => Lane::Tcp4,
        (false, true) => Lane::Tcp6,
        (true, false) => Lane::Udp4,
        (true, true) => Lane::Udp6,
    };
    let verify = match entry.verify.as_deref() {
        None if !entry.pins.is_empty() => pins(&entry.pins).map_err(|problem| wrong("pins", problem))?,
        None | Some("webpki") => Verify::WebPki,
        Some("pin") => pins(&entry.pins).map_err(|problem| wrong("pins", problem))?,
        Some("none") => Verify::None,
        Some(other) => return Err(wrong("verify", format!("'{other}': use webpki, pin or none"))),
    };
    let mut probe = Probe::new(kind, host.clone(), entry.port);
    probe.sni.clone_from(&entry.sni);
    probe.alpn.clone_from(&entry.alpn);
    probe.verify = verify;
    if let Some(path) = &entry.path {
        if !path.starts_with('/') {
            return Err(wrong("path", format!("'{path}': start it with '/'")));
        }
        probe.path.clone_from(path);
    }
    probe.expect_status = entry.expect_status;
    probe.min_bytes = entry.min_bytes.unwrap_or(probe.min_bytes);
    probe.every = entry.every.unwrap_or(probe.every).max(1);
    let shown =
        if ipv6 && host.contains(':') { format!("[{host}]:{}", entry.port) } else { format!("{host}:{}", entry.port) };
    Ok(EntryPointSpec {
        id,
        lane,
        address: Some(shown),
        probe: Some(probe),
        upstreams: entry.upstreams.clone(),
        weight: entry.weight.unwrap_or(1),
    })
}

fn pins(words: &[String]) -> Result<Verify, String> {
    if words.is_empty() {
        return Err("are missing: give at least one SHA-256 in hex".to_owned());
    }
    words.iter().map(|word| pin(word)).collect::<Result<_, _>>().map(Verify::Pin)
}

fn pin(word: &str) -> Result<[u8; 32], String> {
    let problem = || format!("'{word}' is no SHA-256: 64 hex digits");
    if word.len() != 64 || !word.is_ascii() {
        return Err(problem());
    }
    let mut bytes = [0; 32];
    for (byte, digits) in bytes.iter_mut().zip(word.as_bytes().chunks(2)) {
        let digits = str::from_utf8(digits).map_err(|_| problem())?;
        *byte = u8::from_str_radix(digits, 16).map_err(|_| problem())?;
    }
    Ok(bytes)
}

fn route(entry: &RouteEntry) -> Result<RouteSpec, InventoryError> {
    let wrong = |field, problem| InventoryError::Field { owner: format!("route '{}'", entry.id), field, problem };
    let audience = entry.audience.iter().map(|word| country(word)).collect::<Result<_, _>>();
    Ok(RouteSpec {
        id: entry.id.clone(),
        entry_points: entry.entry_points.clone(),
        audience: audience.map_err(|problem| wrong("audience", problem))?,
    })
}

#[cfg(test)]
mod tests;
