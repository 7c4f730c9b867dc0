//! The fleet: servers, their entry points and the routes that offer them.
//!
//! A [`Fleet`] is checked once, on construction, and immutable after; inside, everything is addressed by dense indices in
//! the order of ids, so that walking an index is walking the ids sorted.

use alloc::string::String;
use alloc::vec::Vec;
use core::net::IpAddr;
use core::ops::Range;

use crate::lane::Lane;
use crate::probe::Probe;

pub use self::check::FleetError;
pub use self::country::{Country, NoCountry};
pub use self::declared::{EntryPointSpec, Intent, RouteSpec, ServerSpec, UnknownIntent};

mod check;
mod country;
mod declared;
mod forwarding;

macro_rules! index {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into a dense vector.
            pub const fn at(self) -> usize {
                self.0 as usize
            }
        }
    };
}

index!(
    /// Index of a server, in the order of ids.
    ServerIx
);
index!(
    /// Index of an entry point, in the order of ids.
    EntryIx
);
index!(
    /// Index of a site (failure domain), in the order of names.
    SiteIx
);
index!(
    /// Index of a route, in the order of ids.
    RouteIx
);

/// A server within a [`Fleet`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// Unique name.
    pub id: String,
    /// Where it stands.
    pub country: Option<Country>,
    /// Failure domain: one site has one vote.
    pub site: SiteIx,
    /// Whether its word on a single pair is trusted (R9).
    pub verifier: bool,
    /// What the operator wants of it.
    pub intent: Intent,
    /// Its entry points, by id.
    pub entry_points: Vec<EntryIx>,
}

/// An entry point within a [`Fleet`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryPoint {
    /// Unique name.
    pub id: String,
    /// Whose it is.
    pub server: ServerIx,
    /// Transport and address family.
    pub lane: Lane,
    /// What is dialled.
    pub address: Option<String>,
    /// How it is dialled.
    pub probe: Option<Probe>,
    /// Servers it forwards to.
    pub upstreams: Vec<ServerIx>,
    /// Weight in a subscriber's choice.
    pub weight: u32,
}

/// What a fold asks about an entry point for every single outcome; side by side they stay in the nearest cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Aim {
    pub server: ServerIx,
    pub lane: Lane,
    pub is_disabled: bool,
}

/// A route within a [`Fleet`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// Unique name.
    pub id: String,
    /// What it offers, in the operator's order.
    pub entry_points: Vec<EntryIx>,
    /// Countries whose users it serves.
    pub audience: Vec<Country>,
}

/// Servers, entry points and routes, checked. Cloning copies it; share it behind an `Arc`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fleet {
    servers: Vec<Server>,
    entry_points: Vec<EntryPoint>,
    /// By entry point index.
    aims: Vec<Aim>,
    routes: Vec<Route>,
    sites: Vec<String>,
    upstreams_first: Vec<ServerIx>,
}

impl Fleet {
    /// Most servers; beyond that a single aggregator's memory and evaluation time are untested.
    pub const SERVERS_MAX: usize = 10_000;
    /// Most entry points.
    pub const ENTRY_POINTS_MAX: usize = 40_000;

    /// All servers, by id.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }

    /// All entry points, by id.
    pub fn entry_points(&self) -> &[EntryPoint] {
        &self.entry_points
    }

    /// All routes, by id.
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// One server.
    pub fn server(&self, ix: ServerIx) -> &Server {
        &self.servers[ix.at()]
    }

    /// One entry point.
    pub fn entry_point(&self, ix: EntryIx) -> &EntryPoint {
        &self.entry_points[ix.at()]
    }

    /// One route.
    pub fn route(&self, ix: RouteIx) -> &Route {
        &self.routes[ix.at()]
    }

    pub(crate) fn aim(&self, ix: EntryIx) -> Aim {
        self.aims[ix.at()]
    }

    /// The server that an entry point belongs to.
    pub fn owner(&self, ix: EntryIx) -> &Server {
        self.server(self.entry_point(ix).server)
    }

    /// A site's name.
    pub fn site(&self, ix: SiteIx) -> &str {
        &self.sites[ix.at()]
    }

    /// The sites of some servers, ascending, each once.
    pub fn sites_of(&self, servers: impl Iterator<Item = ServerIx>) -> Vec<SiteIx> {
        let mut sites: Vec<SiteIx> = servers.map(|server| self.server(server).site).collect();
        sites.sort_unstable();
        sites.dedup();
        sites
    }

    /// The servers of all chains, each after those it forwards to (R13).
    pub(crate) fn upstreams_first(&self) -> &[ServerIx] {
        &self.upstreams_first
    }

    /// How many sites there are.
    pub fn site_count(&self) -> usize {
        self.sites.len()
    }

    /// Indices of all servers.
    pub fn server_ixs(&self) -> impl Iterator<Item = ServerIx> + use<> {
        range(self.servers.len()).map(ServerIx)
    }

    /// Indices of all entry points.
    pub fn entry_ixs(&self) -> impl Iterator<Item = EntryIx> + use<> {
        range(self.entry_points.len()).map(EntryIx)
    }

    /// Indices of all routes.
    pub fn route_ixs(&self) -> impl Iterator<Item = RouteIx> + use<> {
        range(self.routes.len()).map(RouteIx)
    }

    /// The server of that id.
    pub fn find_server(&self, id: &str) -> Option<ServerIx> {
        let found = self.servers.binary_search_by(|server| server.id.as_str().cmp(id));
        found.ok().map(|ix| ServerIx(ix as u32))
    }

    /// The entry point of that id.
    pub fn find_entry_point(&self, id: &str) -> Option<EntryIx> {
        let found = self.entry_points.binary_search_by(|entry_point| entry_point.id.as_str().cmp(id));
        found.ok().map(|ix| EntryIx(ix as u32))
    }

    /// The route of that id.
    pub fn find_route(&self, id: &str) -> Option<RouteIx> {
        let found = self.routes.binary_search_by(|route| route.id.as_str().cmp(id));
        found.ok().map(|ix| RouteIx(ix as u32))
    }
}

/// The failure domain of an address that nobody named: its /24 (IPv4) or /48 (IPv6).
pub fn default_site(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let [a, b, c, _] = v4.octets();
            alloc::format!("{a}.{b}.{c}.0/24")
        }
        IpAddr::V6(v6) => {
            let [a, b, c, ..] = v6.segments();
            alloc::format!("{}/48", core::net::Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
        }
    }
}

fn range(len: usize) -> Range<u32> {
    0..len as u32
}

#[cfg(test)]
mod tests;
