//! What an agent does not dial unless its own file allows it, whatever a plan says: addresses that are not public, and ports
//! that clients do not use.
//!
//! The agent refuses by it, and the aggregator warns by it whoever writes such an address into the inventory.

use core::net::IpAddr;

/// Ports that agents dial by themselves: where clients dial. Anything else would look like a scan.
pub const PORTS: [u16; 1] = [443];

/// What sort of address it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AddressKind {
    /// Anybody's.
    Public,
    /// 10/8, 172.16/12, 192.168/16, 100.64/10, `fc00::/7`.
    Private,
    /// 127/8 and `::1`.
    Loopback,
    /// 169.254/16 and `fe80::/10`.
    LinkLocal,
    /// No host has it: 0/8, multicast and above.
    NoHost,
}

impl AddressKind {
    /// Of an address; one of IPv4 within IPv6 is what it is of IPv4.
    pub fn of(ip: IpAddr) -> Self {
        match ip.to_canonical() {
            IpAddr::V4(v4) => match v4.octets() {
                [127, ..] => Self::Loopback,
                [10, ..] | [172, 16..=31, ..] | [192, 168, ..] | [100, 64..=127, ..] => Self::Private,
                [169, 254, ..] => Self::LinkLocal,
                [0 | 224..=255, ..] => Self::NoHost,
                _ => Self::Public,
            },
            IpAddr::V6(v6) => {
                let first = v6.segments()[0];
                if v6.is_loopback() {
                    Self::Loopback
                } else if v6.is_unspecified() || v6.is_multicast() {
                    Self::NoHost
                } else if first & 0xfe00 == 0xfc00 {
                    Self::Private
                } else if first & 0xffc0 == 0xfe80 {
                    Self::LinkLocal
                } else {
                    Self::Public
                }
            }
        }
    }

    /// The word for it, and the field of the agent's file that allows it; none where nothing has to, or nothing can.
    pub const fn allowed_by(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Public | Self::NoHost => None,
            Self::Private => Some(("private", "limits.allow_private")),
            Self::Loopback => Some(("loopback", "limits.allow_loopback")),
            Self::LinkLocal => Some(("link-local", "limits.allow_link_local")),
        }
    }
}

#[cfg(test)]
mod tests;
