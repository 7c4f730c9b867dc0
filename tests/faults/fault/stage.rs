//! The fleet that faults are done to, and the two judges: who looks at the API all the time, and who reads the archive when
//! it is over.
//!
//! Five servers, one of which a country cannot reach: a verdict that must stand through it all, and a series of failures
//! that each report carries on by one.

use std::time::{Duration, Instant};

use quorate_tests::clock::pass;
use quorate_tests::fleet::{FIVE, Fleet, Seen, Watch, Way};
use quorate_tests::postgres::Postgres;
use quorate_tests::trouble::Trouble;

use super::finding::Finding;
use super::{PACE, folded};

/// Who a country cannot reach, and its way in.
pub const VICTIM: &str = "nl-1";
const WAY_IN: &str = "nl-1/tls";

/// The fleet, and who looks at it.
pub struct Stage {
    /// What faults are done to.
    pub fleet: Fleet,
    began_at: u64,
    watch: Watch,
    /// Who may be something else meanwhile.
    may: Vec<&'static str>,
}

impl Stage {
    /// Starts what was prepared, and begins to look. `may` names what a server may be said to be meanwhile, beside what it is.
    pub fn open(mut fleet: Fleet, may: &[(&'static str, &[&'static str])]) -> Self {
        fleet.launch();
        let (blind, victim) = (fleet.country("RU"), fleet.host(VICTIM));
        fleet.lab.block_all(&blind, &[victim], Trouble::Reset);
        fleet.wait_statuses(&[(VICTIM, "unreachable")]);
        Self::look(fleet, may)
    }

    fn look(fleet: Fleet, may: &[(&'static str, &[&'static str])]) -> Self {
        let stands: (&str, &[&str]) = (VICTIM, &["unreachable"]);
        let watch = fleet.watch(&[&[stands], may].concat());
        Self { began_at: fleet.last_event(), watch, may: may.iter().map(|(id, _)| *id).collect(), fleet }
    }

    /// Five servers that are prepared and not started.
    pub fn prepare() -> Fleet {
        Fleet::prepare(FIVE, &[Way::Tls], PACE, 1)
    }

    /// Waits until these servers' reports come again; how long that is after `since`.
    pub fn well(&self, since: Instant, ids: &[&str]) -> Duration {
        self.fleet.wait_reports_of(ids);
        since.elapsed()
    }

    /// The same of all servers.
    pub fn all_well(&self, since: Instant) -> Duration {
        let ids: Vec<&str> = FIVE.iter().map(|member| member.id).collect();
        self.well(since, &ids)
    }

    /// Ends the looking, lets two more rounds come in, ends the agents, and hands over to the judges.
    pub fn close(mut self, database: Option<&Postgres>, finding: &mut Finding) -> Seen {
        self.fleet.wait_reports_of_all(2);
        let seen = self.watch.end();
        for member in FIVE {
            self.fleet.take_agent(member.id).end();
        }
        // What was under way is folded within an evaluation's patience.
        pass(PACE.round);
        let archive = self.fleet.archive(database);
        finding.lost.extend(self.fleet.gaps(&archive));
        finding.lost.extend(folded::differences(&self.fleet, &archive, WAY_IN));
        finding.wrong.extend(seen.wrong.iter().cloned());
        let events = self.fleet.events_after(self.began_at).expect("the API answers");
        for event in events {
            let [kind, subject, to] = ["kind", "subject", "to"].map(|field| event[field].as_str().unwrap_or_default());
            let of_verdicts =
                ["server_status", "entry_point_state", "half_blind", "country_cut", "route"].contains(&kind);
            let server = subject.split('/').next().unwrap_or_default();
            if of_verdicts && !self.may.contains(&server) {
                finding.wrong.push(format!("told: {event}"));
            }
            if to == "reports_lost" {
                finding.lost.push(format!("told: {event}"));
            }
        }
        seen
    }
}
