//! Where a request comes from: the socket's other end, or what a proxy that is trusted says of it.
//!
//! `X-Forwarded-For` is a list to which each proxy adds, on the right, the address that it was called from; what stands
//! further left was sent along and may be anybody's invention. So it is read from the right, and no further than trusted
//! proxies go. From anybody else it is not read at all.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::HeaderMap;
use axum::http::request::Parts;

use crate::inventory::Network;

/// Most hops that are read.
const HOPS_MAX: usize = 16;
const FORWARDED_FOR: &str = "x-forwarded-for";
/// Any of them says that a request was passed on.
const PASSED_ON: [&str; 4] = [FORWARDED_FOR, "forwarded", "x-real-ip", "via"];

/// Who guesses are counted together with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A program on this machine.
    Here,
    /// Whoever comes through a proxy on this machine that is not trusted: all of them.
    Proxied,
    /// An IPv4 address, or the first half of an IPv6 address, of which one site has as many as it likes.
    Place(IpAddr),
}

/// The other end of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visitor {
    /// For counting.
    pub origin: Origin,
    from: String,
}

impl fmt::Display for Visitor {
    /// For people: the address, and the proxy that it is known from.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.from)
    }
}

impl Visitor {
    /// Who sent a request, as far as it is known.
    pub fn of(parts: &Parts, trusted: &[Network]) -> Self {
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| *peer);
        Self::at(peer, &parts.headers, trusted)
    }

    fn at(peer: Option<SocketAddr>, headers: &HeaderMap, trusted: &[Network]) -> Self {
        let Some(peer) = peer else {
            return Self { origin: Origin::Proxied, from: String::new() };
        };
        let is_trusted = |ip: IpAddr| trusted.iter().any(|network| network.contains(ip));
        let peer_ip = peer.ip().to_canonical();
        if is_trusted(peer_ip)
            && let Some(client) = behind(headers, is_trusted)
        {
            return Self { origin: Origin::of(client), from: format!("{client} through {peer}") };
        }
        let origin = match (peer_ip.is_loopback(), PASSED_ON.iter().any(|name| headers.contains_key(*name))) {
            (true, true) => Origin::Proxied,
            (true, false) => Origin::Here,
            (false, _) => Origin::of(peer_ip),
        };
        Self { origin, from: peer.to_string() }
    }
}

impl Origin {
    fn of(ip: IpAddr) -> Self {
        match ip.to_canonical() {
            IpAddr::V6(v6) => Self::Place(IpAddr::V6(Ipv6Addr::from_bits(v6.to_bits() & !u128::from(u64::MAX)))),
            ip @ IpAddr::V4(_) => Self::Place(ip),
        }
    }
}

/// The first address from the right that is no trusted proxy's; where what stands there is no address, the proxy next to it.
fn behind(headers: &HeaderMap, is_trusted: impl Fn(IpAddr) -> bool) -> Option<IpAddr> {
    let lists: Vec<&str> = headers.get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok()).collect();
    let mut last = None;
    for hop in lists.iter().rev().flat_map(|list| list.rsplit(',')).take(HOPS_MAX) {
        let Some(ip) = address(hop.trim()) else { break };
        last = Some(ip);
        if !is_trusted(ip) {
            break;
        }
    }
    last
}

/// An address, or one with a port, as some proxies write it.
fn address(hop: &str) -> Option<IpAddr> {
    let alone = hop.strip_prefix('[').and_then(|hop| hop.strip_suffix(']')).unwrap_or(hop);
    let ip = alone.parse().or_else(|_| hop.parse::<SocketAddr>().map(|addr| addr.ip()));
    ip.ok().map(|ip: IpAddr| ip.to_canonical())
}

#[cfg(test)]
mod tests;
