//! A network as people write it: one address, or a block in CIDR notation, of either family.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use super::words;

/// Shortest prefix that is accepted: nobody has more than 10.0.0.0/8 or `fd00::/8` to himself, so what is shorter, /0 above
/// all, names strangers.
const PREFIX_MIN: u8 = 8;

/// Addresses that share their first bits. IPv4 in the guise of IPv6 counts as IPv4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    first: IpAddr,
    prefix: u8,
}

impl Network {
    /// Whether an address lies in it.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        address.is_ipv4() == self.first.is_ipv4() && (bits(address) ^ bits(self.first)) & mask(self.prefix) == 0
    }

    /// Whether an address lies in both: of two blocks one is then a part of the other.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.contains(other.first) || other.contains(self.first)
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let wrong = || format!("{:?} is no address and no network, like 198.51.100.0/24", words::clipped(word));
        let (address, prefix) = word.split_once('/').map_or((word, None), |(address, prefix)| (address, Some(prefix)));
        let first: IpAddr = address.parse().map_err(|_| wrong())?;
        let whole = if first.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            None => whole,
            // Not `u8`'s own reading, which takes "+8".
            Some(digits) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
                digits.parse().map_err(|_| wrong())?
            }
            Some(_) => return Err(wrong()),
        };
        if prefix > whole {
            return Err(wrong());
        }
        if let IpAddr::V6(v6) = first
            && let Some(v4) = v6.to_ipv4_mapped()
            && prefix >= 96
        {
            let written = Self { first: v4.into(), prefix: prefix - 96 };
            return Err(format!("{word} is an IPv4 network: write {written}"));
        }
        if prefix < PREFIX_MIN {
            return Err(format!("{word} is the network of strangers too: use /{PREFIX_MIN} or longer"));
        }
        words::address(first)?;
        let begins = from_bits(bits(first) & mask(prefix), first.is_ipv4());
        if begins != first {
            let block = Self { first: begins, prefix };
            return Err(format!("{word} does not begin a /{prefix}: write {block}, or {first} for that address alone"));
        }
        Ok(Self { first, prefix })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = if self.first.is_ipv4() { 32 } else { 128 };
        if self.prefix == whole { write!(f, "{}", self.first) } else { write!(f, "{}/{}", self.first, self.prefix) }
    }
}

/// The address at the left end of 128 bits, so that a prefix means the same in both families.
fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => u128::from(v4.to_bits()) << 96,
        IpAddr::V6(v6) => v6.to_bits(),
    }
}

fn from_bits(bits: u128, ipv4: bool) -> IpAddr {
    if ipv4 {
        let [a, b, c, d, ..] = bits.to_be_bytes();
        IpAddr::from([a, b, c, d])
    } else {
        IpAddr::from(bits.to_be_bytes())
    }
}

fn mask(prefix: u8) -> u128 {
    u128::MAX.checked_shl(128 - u32::from(prefix)).unwrap_or(0)
}
