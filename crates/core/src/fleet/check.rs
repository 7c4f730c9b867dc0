//! From a declared fleet to a checked and indexed one.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::{
    Aim, EntryIx, EntryPoint, EntryPointSpec, Fleet, Intent, Route, RouteSpec, Server, ServerIx, ServerSpec, SiteIx,
    forwarding,
};

/// Why a fleet was refused. Each names the offender by id; the reader of a file adds where it stands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FleetError {
    /// An empty id or name.
    #[error("a {0} has an empty id")]
    EmptyId(&'static str),
    /// Two servers of one id.
    #[error("server '{0}' is declared twice")]
    DuplicateServer(String),
    /// Two entry points of one id.
    #[error("entry point '{0}' is declared twice")]
    DuplicateEntryPoint(String),
    /// Two routes of one id.
    #[error("route '{0}' is declared twice")]
    DuplicateRoute(String),
    /// A server that nobody could dial.
    #[error("server '{0}' has no entry points: give it at least one")]
    NoEntryPoints(String),
    /// An upstream that is no server.
    #[error("entry point '{entry_point}' forwards to '{upstream}', which is no server of the fleet")]
    UnknownUpstream {
        /// Where it is named.
        entry_point: String,
        /// What is named.
        upstream: String,
    },
    /// A route's entry point that does not exist.
    #[error("route '{route}' names '{entry_point}', which is no entry point of the fleet")]
    UnknownEntryPoint {
        /// Where it is named.
        route: String,
        /// What is named.
        entry_point: String,
    },
    /// One entry point twice in one route.
    #[error("route '{route}' names '{entry_point}' twice")]
    RepeatedEntryPoint {
        /// Where it is named.
        route: String,
        /// What is named.
        entry_point: String,
    },
    /// Servers that forward to each other in a circle (R13).
    #[error("servers forward in a circle: {0}")]
    Cycle(String),
    /// A weight of zero.
    #[error("entry point '{0}' has weight 0: use at least 1")]
    ZeroWeight(String),
    /// More than the limits allow.
    #[error("the fleet has {count} {what}: at most {limit} are supported")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        count: usize,
        /// The limit.
        limit: usize,
    },
}

impl Fleet {
    /// Checks and indexes a declared fleet.
    pub fn new(mut servers: Vec<ServerSpec>, mut routes: Vec<RouteSpec>) -> Result<Self, FleetError> {
        let entry_count = servers.iter().map(|server| server.entry_points.len()).sum();
        at_most("servers", servers.len(), Self::SERVERS_MAX)?;
        at_most("entry points", entry_count, Self::ENTRY_POINTS_MAX)?;
        servers.sort_by(|a, b| a.id.cmp(&b.id));
        routes.sort_by(|a, b| a.id.cmp(&b.id));
        let server_ix = index_of(servers.iter().map(|server| &server.id), "server", FleetError::DuplicateServer)?;
        index_of(routes.iter().map(|route| &route.id), "route", FleetError::DuplicateRoute)?;

        let mut specs: Vec<(ServerIx, &EntryPointSpec)> = Vec::with_capacity(entry_count);
        for (ix, server) in servers.iter().enumerate() {
            if server.entry_points.is_empty() {
                return Err(FleetError::NoEntryPoints(server.id.clone()));
            }
            specs.extend(server.entry_points.iter().map(|entry_point| (ServerIx(ix as u32), entry_point)));
        }
        specs.sort_by(|(_, a), (_, b)| a.id.cmp(&b.id));
        let ids = specs.iter().map(|(_, entry_point)| &entry_point.id);
        let entry_ix = index_of(ids, "entry point", FleetError::DuplicateEntryPoint)?;

        let entry_points =
            specs.iter().map(|(server, spec)| entry_point(*server, spec, &server_ix)).collect::<Result<Vec<_>, _>>()?;
        let routes = routes.into_iter().map(|spec| route(spec, &entry_ix)).collect::<Result<Vec<_>, _>>()?;

        let mut sites: Vec<String> =
            servers.iter().map(|server| server.site.clone().unwrap_or_else(|| server.id.clone())).collect();
        sites.sort();
        sites.dedup();
        let mut own: Vec<Vec<EntryIx>> = servers.iter().map(|_| Vec::new()).collect();
        for (ix, entry_point) in entry_points.iter().enumerate() {
            own[entry_point.server.at()].push(EntryIx(ix as u32));
        }
        let servers: Vec<Server> = servers
            .iter()
            .zip(own)
            .map(|(spec, entry_points)| Server {
                id: spec.id.clone(),
                country: spec.country,
                site: site_of(&sites, spec.site.as_ref().unwrap_or(&spec.id)),
                verifier: spec.verifier,
                intent: spec.intent,
                entry_points,
            })
            .collect();

        let aim = |entry_point: &EntryPoint| Aim {
            server: entry_point.server,
            lane: entry_point.lane,
            is_disabled: servers[entry_point.server.at()].intent == Intent::Disabled,
        };
        let aims = entry_points.iter().map(aim).collect();
        let mut fleet = Self { servers, entry_points, aims, routes, sites, upstreams_first: Vec::new() };
        let circle = |servers: Vec<String>| FleetError::Cycle(servers.join(" → "));
        fleet.upstreams_first = forwarding::order(&fleet).map_err(circle)?;
        Ok(fleet)
    }
}

fn at_most(what: &'static str, count: usize, limit: usize) -> Result<(), FleetError> {
    if count > limit { Err(FleetError::TooMany { what, count, limit }) } else { Ok(()) }
}

/// Position by id of ids that come sorted; empty and repeated ones are refused.
fn index_of<'a>(
    ids: impl Iterator<Item = &'a String>,
    what: &'static str,
    duplicate: fn(String) -> FleetError,
) -> Result<BTreeMap<&'a str, u32>, FleetError> {
    let mut index = BTreeMap::new();
    for (ix, id) in ids.enumerate() {
        if id.is_empty() {
            return Err(FleetError::EmptyId(what));
        }
        if index.insert(id.as_str(), ix as u32).is_some() {
            return Err(duplicate(id.clone()));
        }
    }
    Ok(index)
}

fn site_of(sites: &[String], name: &String) -> SiteIx {
    SiteIx(sites.binary_search(name).expect("every server's site was collected") as u32)
}

fn entry_point(
    server: ServerIx,
    spec: &EntryPointSpec,
    servers: &BTreeMap<&str, u32>,
) -> Result<EntryPoint, FleetError> {
    if spec.weight == 0 {
        return Err(FleetError::ZeroWeight(spec.id.clone()));
    }
    let upstreams = spec.upstreams.iter().map(|upstream| {
        servers
            .get(upstream.as_str())
            .map(|ix| ServerIx(*ix))
            .ok_or_else(|| FleetError::UnknownUpstream { entry_point: spec.id.clone(), upstream: upstream.clone() })
    });
    Ok(EntryPoint {
        id: spec.id.clone(),
        server,
        lane: spec.lane,
        address: spec.address.clone(),
        probe: spec.probe.clone(),
        upstreams: upstreams.collect::<Result<_, _>>()?,
        weight: spec.weight,
    })
}

fn route(spec: RouteSpec, entry_points: &BTreeMap<&str, u32>) -> Result<Route, FleetError> {
    let mut offered = Vec::with_capacity(spec.entry_points.len());
    for id in &spec.entry_points {
        let Some(ix) = entry_points.get(id.as_str()) else {
            return Err(FleetError::UnknownEntryPoint { route: spec.id, entry_point: id.clone() });
        };
        if offered.contains(&EntryIx(*ix)) {
            return Err(FleetError::RepeatedEntryPoint { route: spec.id, entry_point: id.clone() });
        }
        offered.push(EntryIx(*ix));
    }
    Ok(Route { id: spec.id, entry_points: offered, audience: spec.audience })
}
