//! What is really the case with an entry point, by the troubles that are on.
//!
//! The servers of a fleet are not its users: a path between two servers may be broken, or a witness blind, and everybody
//! who dials gets in. So users live in the groups that say so: in countries, and outside a country, a provider or a few
//! servers, but never in a list of servers. A wall hurts an entry point as far as there are users on its far side.

use quorate_core::fleet::Country;
use quorate_core::lane::Lane;

use super::blueprint::Blueprint;
use super::condition::Conditions;
use super::operation::{Group, Operation, Trouble};
use crate::dice::MILLION;
use crate::truth::Plight;

/// From this loss on nobody would call it reachable: three of four attempts fail.
const DEAD_FROM_PPM: u32 = 750_000;
/// Up to this loss everybody would: nine of ten attempts succeed.
const WELL_TO_PPM: u32 = 100_000;
const _: () = assert!(WELL_TO_PPM < DEAD_FROM_PPM && DEAD_FROM_PPM < MILLION, "in between it is the operator's to say");

/// The plight of a server's door on a lane, while these operations are on.
pub(super) fn plight(
    blueprint: &Blueprint,
    conditions: &Conditions,
    on: &[&Operation],
    server: usize,
    lane: Lane,
) -> Plight {
    let host = &conditions.hosts[server];
    if host.gone || host.disabled {
        return Plight::Undecided;
    }
    if host.host_dead || host.stopped || host.expired || host.closed_in.contains(lane) {
        return Plight::Dead;
    }
    let mut shut_out = match shut_out(blueprint, on, server, lane) {
        ShutOut::Everybody => return Plight::Dead,
        ShutOut::Countries(countries) => countries,
    };
    if host.lossy_ppm >= DEAD_FROM_PPM {
        return Plight::Dead;
    }
    if host.flaps || host.restarting || host.lossy_ppm > WELL_TO_PPM {
        return Plight::Undecided;
    }
    shut_out.sort_unstable();
    shut_out.dedup();
    if shut_out.is_empty() { Plight::Well } else { Plight::DeadFor(shut_out) }
}

enum ShutOut {
    Everybody,
    Countries(Vec<Country>),
}

/// Whose users run into a wall on the way to a server.
fn shut_out(blueprint: &Blueprint, on: &[&Operation], server: usize, lane: Lane) -> ShutOut {
    let mut countries = Vec::new();
    for operation in on {
        let Trouble::Wall { from, to, over, .. } = &operation.trouble else { continue };
        if !over.covers(lane) || !blueprint.members(to)[server] {
            continue;
        }
        match from {
            Group::Servers(_) | Group::Provider(_) => {}
            Group::All | Group::NotServers(_) | Group::NotProvider(_) => return ShutOut::Everybody,
            Group::Country(country) => countries.extend(country.parse::<Country>()),
            Group::NotCountry(country) => {
                let others = blueprint.countries().into_iter().filter(|other| other.as_str() != country);
                countries.extend(others);
            }
        }
    }
    ShutOut::Countries(countries)
}
