//! Finds the address and opens the socket; tells "I have no way there" from "they do not answer" (R1).

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use quorate_core::lane::Lane;
use quorate_core::outcome::{FailureKind, Operation, Reason};
use quorate_core::probe::ProbeKind;
use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::{TcpSocket, TcpStream};

use super::failure::{self, Trouble};
use super::{OwnAddresses, Run, Stop};

impl Run<'_> {
    /// The address of the lane's family, checked against the agent's limits.
    pub(super) async fn step_resolve(&self, lane: Lane) -> Result<SocketAddr, Stop> {
        let ip = match self.probe.host.parse::<IpAddr>() {
            Ok(ip) => ip.to_canonical(),
            Err(_) => self.resolve(lane).await?,
        };
        if ip.is_ipv6() != lane.is_ipv6() {
            return Err(Stop::own(Reason::NoRoute, format!("{ip} is not of lane {lane}'s family")));
        }
        if let Some(why) = self.knocker.addresses.forbids(ip) {
            return Err(Stop::own(Reason::Forbidden, why));
        }
        let address = SocketAddr::new(ip, self.probe.port);
        let from = way_to(address, self.source(ip))?;
        let is_own = from.ip() == ip || self.knocker.sources.contains(&ip);
        match self.knocker.own {
            OwnAddresses::Refused if is_own => {
                return Err(Stop::own(Reason::OwnAddress, format!("{ip} is an address of this host")));
            }
            OwnAddresses::Only if !is_own && !ip.is_loopback() => {
                return Err(Stop::own(Reason::Forbidden, format!("{ip} is no address of this host")));
            }
            OwnAddresses::Refused | OwnAddresses::Allowed | OwnAddresses::Only => {}
        }
        Ok(address)
    }

    async fn resolve(&self, lane: Lane) -> Result<IpAddr, Stop> {
        let found = tokio::time::timeout(self.budget, tokio::net::lookup_host((self.probe.host.as_str(), 0))).await;
        let failed =
            |why: String| Stop::own(Reason::ResolverFailed, format!("cannot resolve {}: {why}", self.probe.host));
        let addresses = found
            .map_err(|_| failed("no answer within the budget".to_owned()))?
            .map_err(|error| failed(error.to_string()))?;
        addresses.map(|address| address.ip()).find(|ip| ip.is_ipv6() == lane.is_ipv6()).ok_or_else(|| {
            Stop::own(Reason::NoRoute, format!("{} has no address of lane {lane}'s family", self.probe.host))
        })
    }

    fn source(&self, destination: IpAddr) -> Option<IpAddr> {
        self.knocker.sources.iter().copied().find(|source| may_bind(*source, destination))
    }

    /// Where sockets to `destination` are bound.
    pub(super) fn bind_address(&self, destination: IpAddr) -> SocketAddr {
        let any: IpAddr =
            if destination.is_ipv6() { Ipv6Addr::UNSPECIFIED.into() } else { Ipv4Addr::UNSPECIFIED.into() };
        SocketAddr::new(self.source(destination).unwrap_or(any), 0)
    }

    /// TCP connect within its own budget.
    pub(super) async fn connect(&mut self, address: SocketAddr) -> Result<TcpStream, Stop> {
        let own = |error: &io::Error| match failure::of_socket(error) {
            Trouble::Own(reason) => Stop::own(reason, error),
            Trouble::Peer(_) => Stop::own(Reason::NoResources, error),
        };
        let socket = if address.is_ipv6() { TcpSocket::new_v6() } else { TcpSocket::new_v4() };
        let socket = socket.map_err(|error| own(&error))?;
        let bind = self.bind_address(address.ip());
        if !bind.ip().is_unspecified() {
            socket.bind(bind).map_err(|error| own(&error))?;
        }
        let budget = self.left().min(ProbeKind::Tcp.budget() / self.knocker.speed.max(1));
        let stream = match tokio::time::timeout(budget, socket.connect(address)).await {
            Err(_) => return Err(Stop::timeout(Operation::Connect)),
            Ok(Err(error)) => {
                return Err(match failure::of_connect(&error) {
                    Trouble::Own(reason) => Stop::own(reason, error),
                    Trouble::Peer(kind) => Stop::failed(Operation::Connect, kind, error),
                });
            }
            Ok(Ok(stream)) => stream,
        };
        // The handshake is made of small messages that wait for each other; a failure to say so costs only time.
        let _ = stream.set_nodelay(true);
        self.trace.connect = Some(self.watch.elapsed());
        Ok(stream)
    }

    /// A UDP socket that is connected, so that the kernel hands on an ICMP port unreachable.
    pub(super) fn udp_socket(&self, address: SocketAddr) -> Result<std::net::UdpSocket, Stop> {
        let socket = udp_towards(address, Some(self.bind_address(address.ip())));
        let nonblocking = |socket: std::net::UdpSocket| socket.set_nonblocking(true).map(|()| socket);
        socket.and_then(nonblocking).map_err(|error| match failure::of_connect(&error) {
            Trouble::Own(reason) => Stop::own(reason, error),
            Trouble::Peer(FailureKind::HostUnreachable) => Stop::own(Reason::NoRoute, error),
            Trouble::Peer(kind) => Stop::failed(Operation::Connect, kind, error),
        })
    }
}

/// Whether a socket to `destination` may come from `source`: both loopback or neither, and of one family.
pub(crate) fn may_bind(source: IpAddr, destination: IpAddr) -> bool {
    source.is_ipv4() == destination.is_ipv4() && source.is_loopback() == destination.is_loopback()
}

/// Asks the kernel for the way to `address` without sending anything: connecting a UDP socket fails at once if there is
/// no route or no own address of the family. What a TCP connect says later then comes from the network.
fn way_to(address: SocketAddr, source: Option<IpAddr>) -> Result<SocketAddr, Stop> {
    let way = udp_towards(address, source.map(|source| SocketAddr::new(source, 0)));
    way.and_then(|socket| socket.local_addr()).map_err(|error| match failure::of_socket(&error) {
        Trouble::Own(reason) => Stop::own(reason, error),
        Trouble::Peer(_) => Stop::own(Reason::NoRoute, error),
    })
}

fn udp_towards(address: SocketAddr, bind: Option<SocketAddr>) -> io::Result<std::net::UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    if let Some(bind) = bind {
        socket.bind(&bind.into())?;
    }
    // UDP has no port 0 to connect to; only the way is asked for.
    let port = address.port().max(1);
    socket.connect(&SocketAddr::new(address.ip(), port).into())?;
    Ok(socket.into())
}
