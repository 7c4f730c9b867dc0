//! The last good set of addresses: what the gateway's name resolved to when it last resolved to anything.
//!
//! An address book that is replaced only by a newer one: an empty page in the post, or no post at all, changes nothing
//! for a week.

use alloc::vec::Vec;
use core::net::IpAddr;
use core::time::Duration;

use super::since::Since;
use crate::time::Moment;

/// Most addresses of a gateway that are used: more are a mistake, or an attack on the resolver.
pub const ADDRESSES_MAX: usize = 16;

/// What came of asking the system's resolver for the gateway's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resolution {
    /// Addresses of both families in the resolver's order. None at all counts as failed.
    Addresses(Vec<IpAddr>),
    /// An error, or no answer in time.
    Failed,
}

/// The last good set.
#[derive(Debug, Clone, Default)]
pub(super) struct Set {
    /// Canonical, each once, in the resolver's order.
    addresses: Vec<IpAddr>,
    /// `None` before the first.
    resolved: Option<Since>,
}

impl Set {
    /// A set that was read back. One of unknown age counts as fresh: a stale list is better than none.
    pub fn remembered(addresses: &[IpAddr], then: Option<Moment>, wall: Moment, now: Moment) -> Self {
        let resolved = then.and_then(|then| Since::remembered(then, wall, now)).unwrap_or(Since::now(now));
        let addresses = at_most(distinct(addresses), |_| false);
        Self { resolved: (!addresses.is_empty()).then_some(resolved), addresses }
    }

    /// Takes a fresh set in; `true` if it has other members than the one before. Of too many addresses those that are
    /// `known` stay: a resolver may begin its answer elsewhere each time.
    pub fn replace(&mut self, fresh: Vec<IpAddr>, known: impl Fn(IpAddr) -> bool, now: Moment) -> bool {
        let before = core::mem::replace(&mut self.addresses, at_most(fresh, known));
        self.resolved = Some(Since::now(now));
        sorted(&before) != sorted(&self.addresses)
    }

    /// The addresses, unless they are older than `kept`.
    pub fn addresses(&self, kept: Duration, now: Moment) -> &[IpAddr] {
        if self.resolved.is_some_and(|resolved| resolved.age(now) <= kept) { &self.addresses } else { &[] }
    }

    /// The addresses, however old, and when they were resolved.
    pub fn to_memory(&self, now: Moment, wall: Moment) -> (Vec<IpAddr>, Option<Moment>) {
        (self.addresses.clone(), self.resolved.map(|resolved| resolved.to_wall(now, wall)))
    }
}

/// Each once, IPv4 as IPv4.
pub(super) fn distinct(addresses: &[IpAddr]) -> Vec<IpAddr> {
    let mut seen = alloc::collections::BTreeSet::new();
    addresses.iter().map(IpAddr::to_canonical).filter(|address| seen.insert(*address)).collect()
}

pub(super) fn sorted(addresses: &[IpAddr]) -> Vec<IpAddr> {
    let mut sorted = addresses.to_vec();
    sorted.sort_unstable();
    sorted
}

fn at_most(addresses: Vec<IpAddr>, known: impl Fn(IpAddr) -> bool) -> Vec<IpAddr> {
    if addresses.len() <= ADDRESSES_MAX {
        return addresses;
    }
    let familiar = addresses.iter().filter(|address| known(**address)).count().min(ADDRESSES_MAX);
    let mut room = ADDRESSES_MAX - familiar;
    let mut stays = |address: &IpAddr| {
        known(*address) || {
            let fits = room > 0;
            room = room.saturating_sub(1);
            fits
        }
    };
    addresses.into_iter().filter(|address| stays(address)).take(ADDRESSES_MAX).collect()
}
