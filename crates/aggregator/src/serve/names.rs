//! What agents and the command line dial: names and addresses as people give them.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::edge_watch::Dialled;

#[cfg(test)]
mod tests;

/// The host of `host` or `host:port`; a bare IPv6 address has no port.
pub(super) fn host_of(name: &str) -> &str {
    if name.parse::<Ipv6Addr>().is_ok() {
        return name;
    }
    match name.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => host.trim_start_matches('[').trim_end_matches(']'),
        _ => name,
    }
}

/// Whether a certificate can be made for it and an agent can dial it.
pub(super) fn is_dialled(name: &str) -> bool {
    rustls_pki_types::ServerName::try_from(host_of(name)).is_ok()
}

/// Every name as it is dialled: the gateway's port where it names none.
pub(super) fn all_dialled(names: &[String], gateway: SocketAddr) -> Vec<Dialled> {
    let port = |name: &str| match name.rsplit_once(':') {
        Some((_, port)) if name.parse::<Ipv6Addr>().is_err() => port.parse().unwrap_or(gateway.port()),
        _ => gateway.port(),
    };
    names.iter().map(|name| Dialled { host: host_of(name).to_owned(), port: port(name) }).collect()
}

/// What the enrolment's command says: the first name.
pub(super) fn dialled(names: &[String], gateway: SocketAddr) -> String {
    all_dialled(names, gateway).first().map_or_else(|| gateway.to_string(), ToString::to_string)
}

/// An address that this machine can dial.
pub(super) fn reachable(mut addr: SocketAddr) -> SocketAddr {
    if addr.ip().is_unspecified() {
        addr.set_ip(if addr.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
    }
    addr
}
