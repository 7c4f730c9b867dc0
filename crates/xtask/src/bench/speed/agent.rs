//! What an agent costs its server: processor time per knock, memory, bytes on the wire.

use anyhow::Result;

use super::part::{Part, Program};
use super::row::{Goal, Row};
use crate::needs::Tool;

pub const PART: Part = Part {
    name: "agent",
    about: "what an agent costs its server, beside the bare handshake and Prometheus' exporters",
    programs: &[
        SPEED,
        Program::bin("quorate-agent", "quorate-agent"),
        Program::bin("quorate-aggregator", "quorate-aggregator"),
    ],
    needs: &[tool(BLACKBOX), tool(NODE)],
    measure,
};

const SPEED: Program = Program::bin("quorate-speed", "quorate-speed");

const BLACKBOX: &str = "prometheus-blackbox-exporter";
const NODE: &str = "prometheus-node-exporter";

const fn tool(program: &'static str) -> Tool {
    Tool { program, package: program }
}

/// From a profile by perf, taken before the self-check was made cheaper.
const WHY: &str = "in a profile of TLS knocks 55 % of the agent's time were the knocks themselves, at 1.7 times what the loop \
                   took for one, 17 % the self-check, 6 % the outbox, and 9 % waiting and waking";
/// Of what the bare handshake needs.
const BARE_RATIO_MAX: f64 = 1.5;
/// Of what the exporter needs.
const BLACKBOX_RATIO_MAX: f64 = 0.5;
/// Peers of an agent, and what it may hold with so many.
const MEMORY_MIB_MAX: [(u16, f64); 3] = [(0, 12.0), (30, 12.0), (1_000, 30.0)];

const KIB_PER_MIB: f64 = 1024.0;

fn measure() -> Result<Vec<Row>> {
    let figures = SPEED.figures(&["knocks", "memory", "wire"])?;
    let mut rows = Vec::new();
    for (kind, shown, bare) in [("tls", "TLS", "rustls"), ("quic", "QUIC", "quinn"), ("tcp", "TCP", "connect")] {
        let of = |who: &str| figures.median(&format!("{kind} {who}"));
        let row = |beside: &str| {
            Ok::<_, anyhow::Error>(Row::new(format!("{shown} knock, beside {beside}"), of("agent")?, "µs of CPU"))
        };
        let beside_bare = row("the bare handshake")?.against(format!("{bare} in a loop"), "", of("bare")?);
        // A connect is too little to carry its share of a report.
        rows.push(if kind == "tcp" {
            beside_bare
        } else {
            beside_bare.goal(Goal::RatioAtMost(BARE_RATIO_MAX)).if_missed(WHY)
        });
        if kind != "quic" {
            let version = figures.version(&format!("{kind} blackbox"));
            let beside_exporter = row("the exporter")?.against(BLACKBOX, version, of("blackbox")?);
            rows.push(beside_exporter.goal(Goal::RatioAtMost(BLACKBOX_RATIO_MAX)).if_missed(WHY));
        }
    }
    for (peers, goal) in MEMORY_MIB_MAX {
        let (program, who) = if peers == 0 { (NODE, "node") } else { (BLACKBOX, "blackbox") };
        let mib = |what: &str, who: &str| {
            Ok::<_, anyhow::Error>(figures.median(&format!("{what} {who} {peers}"))? / KIB_PER_MIB)
        };
        let version = figures.version(&format!("resident {who} {peers}"));
        let row = Row::new(format!("memory of an agent, {peers} peers"), mib("resident", "agent")?, "MiB");
        let row = row.at(peers.into()).against(program, version, mib("resident", who)?).goal(Goal::AtMost(goal));
        rows.push(row.note(format!("{:.1} MiB of it its own, the rest its program", mib("anonymous", "agent")?)));
    }
    let bytes = |what: &str| figures.median(&format!("bytes {what}"));
    let report = Row::new("a report of 30 knocks and its receipt", bytes("report")?, "bytes");
    rows.push(report.against(BLACKBOX, figures.version("bytes answers"), bytes("answers")?));
    rows.push(Row::new("a TLS knock on the wire", bytes("tls")?, "bytes"));
    rows.push(Row::new("a QUIC knock on the wire", bytes("quic")?, "bytes"));
    Ok(rows)
}
