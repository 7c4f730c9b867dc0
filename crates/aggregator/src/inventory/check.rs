//! From the inventory as written to a checked [`Fleet`] and [`Policy`]; what is refused is named by owner and field.

use std::net::IpAddr;
use std::time::Duration;

use quorate_core::assign::AssignError;
use quorate_core::fleet::{Country, EntryPointSpec, Fleet, FleetError, RouteSpec, ServerSpec, default_site};
use quorate_core::lane::Lane;
use quorate_core::plan::ProbePlan;
use quorate_core::policy::{Policy, PolicyError, Share};
use quorate_core::probe::{Probe, ProbeKind, Verify};

use super::{EntryPointEntry, Inventory, PolicySettings, RouteEntry, ServerEntry, words};
use crate::engine;

/// Why an inventory was refused, and where: the reader of a file adds the line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InventoryError {
    /// A field of a server, entry point, route, edge or the policy.
    #[error("{owner}: {field}: {problem}")]
    Field {
        /// Whose field: `server 'nl-1'`, `entry point 'nl-1/tls'`, `route 'eu'`, `edge 'fra'`, `policy`.
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
    /// Both together: no plan keeps this policy in this fleet.
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

const fn policy_field(error: &PolicyError) -> &'static str {
    match error {
        PolicyError::Quorum(_) => "quorum",
        PolicyError::SustainRounds => "sustain_rounds",
        PolicyError::HoldFor { .. } => "hold_for_ms",
        PolicyError::Interval => "interval_ms",
    }
}

const fn plan_field(error: &AssignError) -> &'static str {
    match error {
        AssignError::Spacing { .. } => "min_spacing_ms",
        AssignError::NoWitnesses => "witnesses_per_target",
        AssignError::RoundTooLong { .. } => "stale_after_ms",
    }
}

impl Inventory {
    /// The fleet, if all of this inventory can be put in force: edges, fleet, policy, and a plan that keeps the policy in
    /// the fleet.
    pub fn checked(&self) -> Result<Fleet, InventoryError> {
        let (fleet, policy) = (self.fleet()?, self.policy()?);
        settings(&self.policy)?;
        self.edges()?;
        engine::can_be_planned(&fleet, &policy, &self.policy)?;
        Ok(fleet)
    }

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

fn share(field: &'static str, number: Option<f64>, default: Share) -> Result<Share, InventoryError> {
    let Some(number) = number else { return Ok(default) };
    Share::from_decimal(number).ok_or_else(|| InventoryError::Field {
        owner: "policy".to_owned(),
        field,
        problem: format!("{number} is no share: use 0 to 1 with at most three decimals"),
    })
}

fn server(entry: &ServerEntry) -> Result<ServerSpec, InventoryError> {
    let wrong =
        |field, problem: String| InventoryError::Field { owner: format!("server '{}'", entry.id), field, problem };
    words::name(&entry.id).map_err(|problem| wrong("id", problem))?;
    let country = entry.country.as_deref().map(country).transpose().map_err(|problem| wrong("country", problem))?;
    words::host(&entry.address).map_err(|problem| wrong("address", problem))?;
    if let Some(site) = &entry.site {
        site_name(site).map_err(|problem| wrong("site", problem))?;
    }
    if entry.entry_points.len() > ProbePlan::OWN_MAX {
        let (count, most) = (entry.entry_points.len(), ProbePlan::OWN_MAX);
        return Err(wrong("entry_points", format!("are {count}: use at most {most}")));
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

/// What the policy says beside the rules: what an agent's plan carries of it.
fn settings(set: &PolicySettings) -> Result<(), InventoryError> {
    let wrong = |field, problem| InventoryError::Field { owner: "policy".to_owned(), field, problem };
    let longest_ms = u64::try_from(ProbePlan::INTERVAL_MAX.as_millis()).unwrap_or(u64::MAX);
    for (field, ms) in [("interval_ms", set.interval_ms), ("min_spacing_ms", set.min_spacing_ms)] {
        if let Some(ms) = ms.filter(|ms| *ms > longest_ms) {
            return Err(wrong(field, format!("is {ms}: use at most {longest_ms}, a day")));
        }
    }
    if let Some(speed) = set.speed.filter(|speed| !(1..=ProbePlan::SPEED_MAX).contains(speed)) {
        return Err(wrong("speed", format!("is {speed}: use 1 to {}", ProbePlan::SPEED_MAX)));
    }
    if set.controls.len() > ProbePlan::CONTROLS_MAX {
        return Err(wrong("controls", format!("are {}: use at most {}", set.controls.len(), ProbePlan::CONTROLS_MAX)));
    }
    set.controls.iter().try_for_each(|word| words::control(word)).map_err(|problem| wrong("controls", problem))
}

/// A site may be a network, like 198.51.100.0/24, or have blanks, like the name of a provider.
fn site_name(word: &str) -> Result<(), String> {
    words::name(&word.replace(['/', ' '], "-"))
}

fn country(word: &str) -> Result<Country, String> {
    word.parse().map_err(|error| format!("'{word}': {error}"))
}

fn entry_point(server: &ServerEntry, entry: &EntryPointEntry) -> Result<EntryPointSpec, InventoryError> {
    let id = format!("{}/{}", server.id, entry.name.as_deref().unwrap_or(&entry.probe));
    let wrong = |field, problem: String| InventoryError::Field { owner: format!("entry point '{id}'"), field, problem };
    if let Some(name) = &entry.name {
        words::name(name).map_err(|problem| wrong("name", problem))?;
    }
    let kind: ProbeKind = entry.probe.parse().map_err(|error| wrong("probe", format!("'{}': {error}", entry.probe)))?;
    if entry.port == 0 {
        return Err(wrong("port", "is 0: use 1 to 65535".to_owned()));
    }
    let host = entry.address.as_ref().unwrap_or(&server.address);
    words::host(host).map_err(|problem| wrong("address", problem))?;
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
        Some("webpki" | "none") if !entry.pins.is_empty() => {
            return Err(wrong("pins", "are given, but nothing looks at them: use verify = \"pin\"".to_owned()));
        }
        None if !entry.pins.is_empty() => pins(&entry.pins).map_err(|problem| wrong("pins", problem))?,
        None | Some("webpki") => Verify::WebPki,
        Some("pin") => pins(&entry.pins).map_err(|problem| wrong("pins", problem))?,
        Some("none") => Verify::None,
        Some(other) => return Err(wrong("verify", format!("'{other}': use webpki, pin or none"))),
    };
    let mut probe = Probe::new(kind, host.clone(), entry.port);
    if let Some(sni) = &entry.sni {
        words::sni(sni).map_err(|problem| wrong("sni", problem))?;
    }
    probe.sni.clone_from(&entry.sni);
    words::alpn(&entry.alpn).map_err(|problem| wrong("alpn", problem))?;
    probe.alpn.clone_from(&entry.alpn);
    probe.verify = verify;
    if let Some(path) = &entry.path {
        words::path(path).map_err(|problem| wrong("path", problem))?;
        probe.path.clone_from(path);
    }
    if let Some(status) = entry.expect_status {
        words::status(status).map_err(|problem| wrong("expect_status", problem))?;
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

fn pins(given: &[String]) -> Result<Verify, String> {
    if given.is_empty() {
        return Err("are missing: give at least one SHA-256 in hex".to_owned());
    }
    words::pin_count(given.len())?;
    given.iter().map(|word| pin(word)).collect::<Result<_, _>>().map(Verify::Pin)
}

fn pin(word: &str) -> Result<[u8; 32], String> {
    let problem = || format!("'{word}' is no SHA-256: 64 hex digits");
    // `from_str_radix` would take a sign, too.
    if word.len() != 64 || !word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
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
    words::name(&entry.id).map_err(|problem| wrong("id", problem))?;
    let audience = entry.audience.iter().map(|word| country(word)).collect::<Result<_, _>>();
    Ok(RouteSpec {
        id: entry.id.clone(),
        entry_points: entry.entry_points.clone(),
        audience: audience.map_err(|problem| wrong("audience", problem))?,
    })
}
