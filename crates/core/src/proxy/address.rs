//! What a header claims: addresses that were said, not seen.

use core::fmt;
use core::net::{IpAddr, SocketAddr};
use core::str::FromStr;

/// The two ends of a connection, as a forwarder tells them.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Who opened the connection.
    pub source: ClaimedAddr,
    /// Where it was opened to: the forwarder's own address, as a rule.
    pub destination: ClaimedAddr,
}

/// An address and a port that somebody claims. It can be shown, stored as text and read back, and that is all: it equals
/// nothing and yields no address, so that no rule can hang on it.
///
/// ```
/// let claimed: quorate_core::proxy::ClaimedAddr = "192.0.2.7:41074".parse()?;
/// assert_eq!(claimed.to_string(), "192.0.2.7:41074");
/// # Ok::<(), quorate_core::proxy::NoClaimedAddr>(())
/// ```
///
/// Whom one deals with is decided by the peer's own address:
/// ```compile_fail,E0369
/// # fn trusts(claimed: quorate_core::proxy::ClaimedAddr, peer: core::net::SocketAddr) -> bool {
/// claimed == peer
/// # }
/// ```
///
/// Nor is one claim another's equal:
/// ```compile_fail,E0369
/// # fn same(one: quorate_core::proxy::ClaimedAddr, other: quorate_core::proxy::ClaimedAddr) -> bool {
/// one == other
/// # }
/// ```
#[derive(Clone)]
pub struct ClaimedAddr(SocketAddr);

impl Claim {
    /// A block of two addresses of `N` bytes, 4 or 16, and two ports.
    pub(super) fn from_block<const N: usize>(block: &[u8]) -> Option<Self>
    where
        IpAddr: From<[u8; N]>,
    {
        let (source, rest) = block.split_first_chunk::<N>()?;
        let (destination, ports) = rest.split_first_chunk::<N>()?;
        let &[a, b, c, d] = ports else { return None };
        let claimed = |ip: &[u8; N], port| ClaimedAddr(SocketAddr::new(IpAddr::from(*ip), u16::from_be_bytes(port)));
        Some(Self { source: claimed(source, [a, b]), destination: claimed(destination, [c, d]) })
    }
}

/// Address and port as in a URL, IPv6 in brackets: `192.0.2.7:443`, `[2001:db8::7]:443`.
impl fmt::Display for ClaimedAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for ClaimedAddr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "claimed {}", self.0)
    }
}

/// Not what [`ClaimedAddr`] writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a claimed address is an address and a port, like 192.0.2.7:443 or [2001:db8::7]:443")]
pub struct NoClaimedAddr;

impl FromStr for ClaimedAddr {
    type Err = NoClaimedAddr;

    fn from_str(text: &str) -> Result<Self, NoClaimedAddr> {
        match text.parse() {
            // A scope is a number of the machine that wrote it: no header has one.
            Ok(SocketAddr::V6(addr)) if addr.scope_id() != 0 => Err(NoClaimedAddr),
            Ok(addr) => Ok(Self(addr)),
            Err(_) => Err(NoClaimedAddr),
        }
    }
}
