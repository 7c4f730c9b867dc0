//! An agent that knocks on nothing but black holes: what a knock leaves open would add up.
//!
//! Two hundred servers that are not there, by TLS and by QUIC; a budget is a thousandth of its documented time. Knocks are
//! counted in the archive, where an outcome that was no knock (`not_run`) does not count.

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use prost::Message as _;
use quorate_core::outcome::Outcome;
use quorate_proto::{outcomes, v1};
use quorate_tests::clock::{look_for, wait_for};
use quorate_tests::fleet::{Archived, Fleet, Pace, server};
use quorate_tests::vitals::{Sampling, Vitals};

use super::Ask;
use super::finding::Finding;

const AGENT: &str = "nl-1";
const HOLES: usize = 200;
const TARGETS: usize = 2 * HOLES;
/// Everything that a round of this takes, and some more.
const ROUND: Duration = Duration::from_secs(6);
/// One TCP socket, one UDP socket, one file and its folder at a time, and a look at the machine.
const DESCRIPTORS_MORE: f64 = 12.0;
/// A round of outcomes several times over, and what the allocator keeps.
const MEMORY_MORE_MIB: f64 = 8.0;

pub fn run(ask: &Ask) -> Vec<Finding> {
    let knocks = ask.times(2_000, 100_000);
    let mut finding = Finding::of("knocks on black holes", knocks);
    let pace = Pace { round: ROUND, speed: 1_000, min_spacing: Duration::from_millis(1), ..super::PACE };
    let mut fleet = Fleet::prepare(&[server(AGENT)], &[], pace, 0);
    declare_holes(&fleet);
    // The way leads to a host that forwards nothing and says nothing.
    let aggregator = quorate_tests::fleet::AGGREGATOR;
    fleet.lab.namespace(fleet.host(AGENT)).ip(&format!("route add 10.78.0.0/16 via {}\n", aggregator.ipv4()));
    fleet.start_aggregator();
    fleet.enroll(AGENT);
    fleet.start_agent(AGENT);
    wait_for("the first round is in", ROUND * 4, || match knocked(&fleet.archive(None)) {
        0 => Err("no knock yet".to_owned()),
        some => Ok(some),
    });
    let pid = fleet.agent(AGENT).pid();
    let before = Vitals::of(pid);
    let sampling = Sampling::of(pid);
    let most = look_for("enough knocks", ROUND * (knocks * 6 / TARGETS) as u32, || {
        let count = knocked(&fleet.archive(None));
        if count >= knocks { Ok(count) } else { Err(format!("{count} of {knocks}")) }
    });
    let count = most.unwrap_or_else(|in_vain| {
        finding.beyond.push(in_vain);
        0
    });
    let held = sampling.end();
    finding.figures.push(("knocks counted".to_owned(), count as f64));
    finding.at_most("descriptors more", held.descriptors as f64 - before.descriptors as f64, DESCRIPTORS_MORE);
    let memory_kib = held.memory_kib.saturating_sub(before.memory_kib);
    finding.at_most("memory more, MiB", (memory_kib as f64 / 102.4).round() / 10.0, MEMORY_MORE_MIB);
    finding.figures.push(("memory at first, MiB".to_owned(), (before.memory_kib as f64 / 102.4).round() / 10.0));
    let statuses = fleet.statuses().expect("the API answers");
    // The agent's own server has no way in, and says so.
    let wrong = statuses.iter().filter(|(id, status)| *id != AGENT && *status != "pending");
    finding.wrong.extend(wrong.map(|(id, status)| format!("{id} is {status}, and only one witness looks at it")));
    vec![finding]
}

fn declare_holes(fleet: &Fleet) {
    let mut text = fs::read_to_string(fleet.inventory_path()).expect("the fleet was declared");
    for hole in 0..HOLES {
        let (third, fourth) = (hole / 250, hole % 250 + 1);
        let _ = write!(
            text,
            "\n[[servers]]\nid = \"hole-{hole}\"\naddress = \"10.78.{third}.{fourth}\"\nsite = \"hole-{hole}\"\n"
        );
        for probe in ["tls", "quic"] {
            let _ =
                write!(text, "[[servers.entry_points]]\nname = \"{probe}\"\nprobe = \"{probe}\"\nverify = \"none\"\n");
        }
    }
    fs::write(fleet.inventory_path(), text).expect("the lab's folder takes a file");
}

/// Knocks that nothing came back from.
fn knocked(archive: &[Archived]) -> usize {
    let of = |report: &Archived| {
        let report = v1::Report::decode(&*report.payload).expect("the archive has reports");
        let round = outcomes::unpack(&report.outcomes, TARGETS).unwrap_or_default();
        round.iter().filter(|outcome| matches!(outcome, Outcome::Failed(_))).count()
    };
    archive.iter().map(of).sum()
}
