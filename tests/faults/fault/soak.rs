//! A fleet that lives at twenty times its speed: a country loses a server and finds it again, over and over, while somebody
//! looks at the pages. What each process holds is looked at whenever all is well: it must be what it was.

use std::time::{Duration, Instant};

use quorate_tests::fleet::{FIVE, Fleet, Pace, Way};
use quorate_tests::trouble::Trouble;
use quorate_tests::vitals::Vitals;

use super::Ask;
use super::finding::Finding;
use super::stage::VICTIM;

/// The documented policy by 20.
const PACE: Pace = Pace {
    round: Duration::from_secs(3),
    stale_after: Duration::from_secs(9),
    sustain_for: Duration::from_millis(4500),
    hold_for: Duration::from_secs(45),
    speed: 20,
    min_spacing: Duration::from_millis(25),
};
/// A knock under way, a report that is being written, a reader of the store that was opened later.
const DESCRIPTORS_MORE: f64 = 6.0;
/// An agent keeps nothing; what its allocator keeps settles.
const AGENTS_MEMORY_MORE_MIB: f64 = 4.0;
/// The aggregator keeps the last hour's lines, and a cache of its archive.
const AGGREGATORS_MEMORY_MORE_MIB: f64 = 48.0;

pub fn run(ask: &Ask) -> Vec<Finding> {
    let lasts = ask.times(Duration::from_secs(45), Duration::from_secs(3600));
    let mut finding = Finding::of(format!("{} s at twenty times the speed", lasts.as_secs()), 1);
    let mut fleet = Fleet::prepare(FIVE, &[Way::Tls], PACE, 0);
    fleet.launch();
    let watch = fleet.watch(&[(VICTIM, &["unreachable", "marked", "ok"])]);
    let until = Instant::now() + lasts;
    let mut seen = vec![look(&fleet)];
    while Instant::now() < until {
        let (blind, victim) = (fleet.country("RU"), fleet.host(VICTIM));
        fleet.lab.block_all(&blind, &[victim], Trouble::Drop);
        let since = Instant::now();
        fleet.wait_statuses(&[(VICTIM, "unreachable")]);
        finding.well.push(since.elapsed());
        fleet.lab.unblock();
        fleet.wait_all_ok();
        fleet.wait_reports_of_all(1);
        seen.push(look(&fleet));
    }
    finding.times = seen.len() - 1;
    finding.wrong.extend(watch.end().wrong);
    finding.lost.extend(fleet.gaps(&fleet.archive(None)));
    let agents = |held: &Held| held.agents;
    let aggregator = |held: &Held| held.aggregator;
    for (name, of, memory_mib) in [
        ("an agent's", agents as fn(&Held) -> Vitals, AGENTS_MEMORY_MORE_MIB),
        ("the aggregator's", aggregator, AGGREGATORS_MEMORY_MORE_MIB),
    ] {
        // The first quarter is what it is like to be warm.
        let warm = &seen[seen.len() / 4..];
        let (first, last) = (of(&warm[0]), of(&seen[seen.len() - 1]));
        let more = last.descriptors as f64 - first.descriptors as f64;
        finding.at_most(&format!("{name} descriptors more"), more, DESCRIPTORS_MORE);
        let more_mib = (last.memory_kib as f64 - first.memory_kib as f64) / 1024.0;
        finding.at_most(&format!("{name} memory more, MiB"), (more_mib * 10.0).round() / 10.0, memory_mib);
        let mib = (last.memory_kib as f64 / 102.4).round() / 10.0;
        finding.figures.push((format!("{name} memory, MiB"), mib));
        finding.figures.push((format!("{name} descriptors"), last.descriptors as f64));
    }
    vec![finding]
}

/// What processes hold when all is well; of agents, the one that has most of each.
struct Held {
    agents: Vitals,
    aggregator: Vitals,
}

fn look(fleet: &Fleet) -> Held {
    let each = FIVE.iter().map(|member| Vitals::of(fleet.agent(member.id).pid()));
    let most = each.reduce(Vitals::most);
    Held { agents: most.expect("there are agents"), aggregator: Vitals::of(fleet.aggregator().pid()) }
}
