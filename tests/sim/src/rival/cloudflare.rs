//! Cloudflare Load Balancing: an endpoint is healthy if the majority of regions is, and a region if the majority of its data
//! centers is.
//!
//! Built to take an origin out of a pool for everybody when most of the world cannot reach it. Source: "Monitors" and "How
//! endpoints and pools become unhealthy" (<https://developers.cloudflare.com/load-balancing/monitors/>,
//! <https://developers.cloudflare.com/load-balancing/understand-basics/health-details/>), defaults of `consecutive_down`,
//! `consecutive_up` and `interval` from its API (<https://developers.cloudflare.com/api/resources/load_balancers/>).
//!
//! - Each region checks from three data centers; which three may change at any moment.
//! - `consecutive_down` and `consecutive_up` are 0 unless told otherwise: a check's last result is its word.
//! - If all pools are unhealthy, the fallback pool is used whatever its health: that is its floor, here for each route with
//!   all of the route as its fallback.
//!
//! A country is a region, a site of it a data center, and one witness checks for its site; servers without a country are a
//! region of their own. Where a region has fewer than three sites with fresh news, it checks from those it has. An interval
//! is 60 s, as long as a round. Its two immediate retries after a timeout cannot be had from a tape of one probe a round.

use quorate_core::fleet::{Country, EntryIx, ServerIx, SiteIx};
use quorate_core::report::Report;
use quorate_core::time::Moment;

use super::frame::{Floor, Found, Rule};
use super::memory::{Changes, Checkers, Word};
use super::mesh::{Mesh, Moves};
use super::tuning::Rounds;
use crate::tape::Setting;

const DATA_CENTERS: usize = 3;
/// `consecutive_down` of 0: the first failure counts.
const CONSECUTIVE_DOWN: Rounds = 1;

/// The rule.
pub(super) struct Cloudflare {
    checkers: Checkers,
    /// The probing servers of each region.
    regions: Vec<Vec<ServerIx>>,
    /// By entry point: what held when it was last asked about.
    unhealthy: Vec<bool>,
}

impl Cloudflare {
    pub fn new(setting: &Setting, knob: Option<Rounds>) -> Self {
        let down_after = knob.unwrap_or(CONSECUTIVE_DOWN);
        let mesh = Mesh::new(setting.fleet.clone());
        Self {
            checkers: Checkers::new(setting, Changes { down_after, up_after: 1, first_is_state: true }),
            regions: regions(&mesh),
            unhealthy: mesh.column(false),
        }
    }

    /// Whether the region finds the endpoint healthy, if any of its data centers says anything.
    fn region(&self, mesh: &Mesh, servers: &[ServerIx], ix: EntryIx, at: Moment) -> Option<bool> {
        // Another three for each endpoint, so that no server is asked about all of the fleet.
        let first = ix.at() % servers.len();
        let (before, after) = servers.split_at(first);
        let mut asked: [Option<SiteIx>; DATA_CENTERS] = [None; DATA_CENTERS];
        let (mut count, mut passed) = (0, 0);
        for server in after.iter().chain(before) {
            let site = mesh.fleet.server(*server).site;
            if !mesh.plan.looks(*server, ix) || *server == mesh.owner(ix) || asked[..count].contains(&Some(site)) {
                continue;
            }
            match self.checkers.word(*server, ix, at) {
                Word::Up => passed += 1,
                Word::Down => {}
                Word::None => continue,
            }
            asked[count] = Some(site);
            count += 1;
            if count == DATA_CENTERS {
                break;
            }
        }
        (count > 0).then_some(2 * passed > count)
    }
}

fn regions(mesh: &Mesh) -> Vec<Vec<ServerIx>> {
    let mut servers: Vec<(Option<Country>, ServerIx)> =
        mesh.fleet.server_ixs().filter(|ix| mesh.probes(*ix)).map(|ix| (mesh.fleet.server(ix).country, ix)).collect();
    servers.sort_unstable();
    servers.chunk_by(|a, b| a.0 == b.0).map(|region| region.iter().map(|(_, ix)| *ix).collect()).collect()
}

impl Rule for Cloudflare {
    fn hear(&mut self, mesh: &Mesh, report: &Report) {
        self.checkers.hear(mesh, report);
    }

    fn follow(&mut self, new: &Mesh, moves: &Moves, _at: Moment) {
        self.checkers.follow(new, moves);
        self.regions = regions(new);
        self.unhealthy = moves.move_column(&self.unhealthy, new.column(false));
    }

    fn is_settled(&self, mesh: &Mesh, at: Moment) -> bool {
        self.checkers.are_settled(mesh, at)
    }

    fn judge(&mut self, mesh: &Mesh, at: Moment, found: &mut Found) {
        self.checkers.settle(mesh, at);
        for ix in mesh.judged() {
            let (mut asked, mut healthy) = (0, 0);
            for servers in &self.regions {
                if let Some(is_healthy) = self.region(mesh, servers, ix, at) {
                    asked += 1;
                    healthy += u32::from(is_healthy);
                }
            }
            if asked > 0 {
                self.unhealthy[ix.at()] = 2 * healthy <= asked;
            }
            found.removed[ix.at()] = self.unhealthy[ix.at()];
        }
    }

    fn floor(&self) -> Floor {
        Floor::AllOrNothing
    }
}
