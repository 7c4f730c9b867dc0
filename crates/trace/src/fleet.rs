//! A fleet as JSON gives it, to a checked fleet and policy.

use std::time::Duration;

use quorate_core::fleet::{Country, EntryPointSpec, Fleet, Intent, RouteSpec, ServerSpec};
use quorate_core::lane::Lane;
use quorate_core::policy::{Policy, Share};
use serde::{Deserialize, Deserializer};

use crate::object::{self, Object};

/// A fleet, checked.
#[derive(Debug)]
pub struct Declared {
    /// Servers, entry points and routes.
    pub fleet: Fleet,
    /// The policy, if it says one.
    pub policy: Option<Policy>,
}

/// Parses a fleet file; what is wrong is told with line and column.
pub fn parse(text: &str) -> anyhow::Result<Declared> {
    let place = |error: serde_json::Error| {
        anyhow::anyhow!("line {}, column {}: {}", error.line(), error.column(), object::without_place(&error))
    };
    let Object(file): Object<FleetFile> = serde_json::from_str(text).map_err(place)?;
    file.checked()
}

/// A fleet as a file or a trace's `fleet` line gives it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FleetFile {
    policy: Option<Object<PolicyFile>>,
    servers: Vec<Object<ServerFile>>,
    #[serde(default)]
    routes: Vec<Object<RouteFile>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyFile {
    interval_ms: Option<u64>,
    stale_after_ms: Option<u64>,
    sustain_rounds: Option<u16>,
    sustain_for_ms: Option<u64>,
    witness_floor: Option<ShareFile>,
    quorum: Option<u32>,
    quorum_share: Option<ShareFile>,
    half_blind_share: Option<ShareFile>,
    hold_for_ms: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
struct ShareFile(Share);

impl<'de> Deserialize<'de> for ShareFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        let refused =
            || serde::de::Error::custom(format!("{number} is no share: use 0 to 1 with at most three decimals"));
        Share::from_decimal(number).map(Self).ok_or_else(refused)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerFile {
    id: String,
    #[serde(default, deserialize_with = "parsed_option")]
    country: Option<Country>,
    site: Option<String>,
    #[serde(default)]
    verifier: bool,
    #[serde(default, deserialize_with = "parsed")]
    intent: Intent,
    entry_points: Option<Vec<Object<EntryPointFile>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct EntryPointFile {
    id: String,
    #[serde(default = "tcp4", deserialize_with = "parsed")]
    lane: Lane,
    address: Option<String>,
    #[serde(default)]
    upstreams: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RouteFile {
    id: String,
    entry_points: Vec<String>,
    #[serde(default)]
    audience: Vec<CountryFile>,
}

#[derive(Debug)]
struct CountryFile(Country);

impl<'de> Deserialize<'de> for CountryFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        parsed(deserializer).map(Self)
    }
}

const fn tcp4() -> Lane {
    Lane::Tcp4
}

/// A word of one of core's closed lists.
fn parsed<'de, D: Deserializer<'de>, T: std::str::FromStr<Err: std::fmt::Display>>(
    deserializer: D,
) -> Result<T, D::Error> {
    let word = String::deserialize(deserializer)?;
    word.parse().map_err(|error| serde::de::Error::custom(format!("'{word}': {error}")))
}

fn parsed_option<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Country>, D::Error> {
    Ok(Option::<CountryFile>::deserialize(deserializer)?.map(|country| country.0))
}

impl FleetFile {
    /// Refuses what cannot be.
    pub(crate) fn checked(self) -> anyhow::Result<Declared> {
        let policy = self.policy.as_ref().map(|Object(file)| policy(file)).transpose()?;
        let servers = self.servers.into_iter().map(|Object(file)| server(file)).collect();
        let routes = self.routes.into_iter().map(|Object(file)| route(file)).collect();
        Ok(Declared { fleet: Fleet::new(servers, routes)?, policy })
    }
}

fn policy(file: &PolicyFile) -> anyhow::Result<Policy> {
    let default = Policy::default();
    let span = |ms: Option<u64>, default: Duration| ms.map_or(default, Duration::from_millis);
    let share = |share: Option<ShareFile>, default: Share| share.map_or(default, |share| share.0);
    let policy = Policy {
        interval: span(file.interval_ms, default.interval),
        stale_after: span(file.stale_after_ms, default.stale_after),
        sustain_rounds: file.sustain_rounds.unwrap_or(default.sustain_rounds),
        sustain_for: span(file.sustain_for_ms, default.sustain_for),
        witness_floor: share(file.witness_floor, default.witness_floor),
        quorum: file.quorum.unwrap_or(default.quorum),
        quorum_share: share(file.quorum_share, default.quorum_share),
        half_blind_share: share(file.half_blind_share, default.half_blind_share),
        hold_for: span(file.hold_for_ms, default.hold_for),
    };
    policy.checked().map_err(|error| anyhow::anyhow!("policy: {error}"))
}

fn server(file: ServerFile) -> ServerSpec {
    let alone =
        || EntryPointFile { id: format!("{}/tls", file.id), lane: Lane::Tcp4, address: None, upstreams: Vec::new() };
    let entry_points = file.entry_points.unwrap_or_else(|| vec![Object(alone())]);
    ServerSpec {
        id: file.id,
        country: file.country,
        site: file.site,
        verifier: file.verifier,
        intent: file.intent,
        entry_points: entry_points.into_iter().map(|Object(file)| entry_point(file)).collect(),
    }
}

fn entry_point(file: EntryPointFile) -> EntryPointSpec {
    EntryPointSpec {
        id: file.id,
        lane: file.lane,
        address: file.address,
        probe: None,
        upstreams: file.upstreams,
        weight: 1,
    }
}

fn route(file: RouteFile) -> RouteSpec {
    RouteSpec {
        id: file.id,
        entry_points: file.entry_points,
        audience: file.audience.into_iter().map(|country| country.0).collect(),
    }
}
