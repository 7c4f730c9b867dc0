//! A fleet whose agents reach the aggregator through edges alone: one name, whose addresses are the edges', and the shipped
//! rules on the aggregator's host, which let nobody else in. Enrolment goes that way too.
//!
//! Its servers have no way in: nothing is probed, and agents report on themselves once a second.

use std::fs::{self, File};
use std::io::Write as _;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use super::{AGGREGATOR, Fleet, GATEWAY, Member, Pace, inventory};
use crate::clock::{promised, timed, wait_for};
use crate::edge::{self, Edge, PORT, rules};
use crate::machine::{Need, workspace_binary};
use crate::names::{self, NAME, NameServer, Says};
use crate::network::Host;

/// What such a fleet needs beside namespaces.
pub const EDGE_NEEDS: &[Need] = &[edge::available, names::available];

/// Short beside the promises that are held here, which are about seconds.
pub const EDGE_ROUND: Duration = Duration::from_secs(1);
/// For what takes a few rounds of looking at edges.
const SOON: Duration = Duration::from_secs(60);
/// A planned end is followed by a session at once, but for a jitter of 5 s and a handshake.
const PLANNED_AT_MOST: Duration = Duration::from_secs(7);

impl Fleet {
    /// Starts everything, with edges so far away and all of them in the name, by IPv4; returns when all have reported.
    pub fn start_behind_edges(members: &[Member], one_way: &[Duration]) -> Self {
        let all: Vec<usize> = (0..one_way.len()).collect();
        Self::start_behind_some_edges(&all, members, one_way)
    }

    /// The same with only some of the edges in the name.
    pub fn start_behind_some_edges(in_name: &[usize], members: &[Member], one_way: &[Duration]) -> Self {
        let mut fleet = Self::build(members, &[], Pace::in_rounds_of(EDGE_ROUND), one_way.len() as u8 + 2);
        let first = members.len() as u8 + 2;
        let hosts: Vec<Host> = (first..).take(one_way.len()).map(Host).collect();
        let mut file = File::options().append(true).open(fleet.inventory_path()).expect("the fleet's file was written");
        for (number, host) in hosts.iter().enumerate() {
            file.write_all(inventory::declare_edge(&id(number), *host).as_bytes()).expect("it takes more");
        }
        let addresses: Vec<IpAddr> = hosts.iter().flat_map(|host| [host.ipv4().into(), host.ipv6().into()]).collect();
        fleet.lab.namespace(AGGREGATOR).nft(&rules::for_edges(&addresses));
        let server = Host(first + one_way.len() as u8);
        let v4: Vec<IpAddr> = in_name.iter().map(|edge| hosts[*edge].ipv4().into()).collect();
        fleet.names = Some(NameServer::start(&fleet.lab, server, &v4));
        fleet.lab.ask_for_names(server);
        fleet.dialled = format!("{NAME}:{PORT}");
        fleet.start_aggregator();

        let start = |(host, one_way): (&Host, &Duration)| match *one_way {
            Duration::ZERO => Edge::start(&fleet.lab, *host, GATEWAY),
            one_way => Edge::start_at(&fleet.lab, *host, GATEWAY, one_way),
        };
        fleet.edges = hosts.iter().zip(one_way).map(start).collect();
        for member in members {
            fleet.enroll(member.id);
            fleet.start_agent(member.id);
        }
        fleet.wait_all_report();
        fleet
    }

    /// A host that is no edge, no server, and nobody's friend.
    pub fn stranger(&self) -> Host {
        self.lab.hosts().last().expect("a lab has hosts")
    }

    /// From here on the name has the IPv4 addresses of these edges.
    pub fn name_edges(&mut self, edges: &[usize]) {
        let addresses: Vec<IpAddr> = edges.iter().map(|edge| self.address(*edge)).collect();
        self.name_addresses(&addresses);
    }

    /// The same with any addresses.
    pub fn name_addresses(&mut self, addresses: &[IpAddr]) {
        self.say(Says::Addresses(addresses.to_vec()));
    }

    /// From here on the name server says this.
    pub fn say(&mut self, says: Says) {
        self.names.as_mut().expect("there are edges").say(&self.lab, says);
    }

    /// Ends the name server without warning.
    pub fn kill_names(&mut self) {
        self.names.as_mut().expect("there are edges").kill();
    }

    /// Starts it again with what it said last.
    pub fn restart_names(&mut self) {
        self.names.as_mut().expect("there are edges").restart(&self.lab);
    }

    /// The IPv4 address of an edge.
    pub fn address(&self, edge: usize) -> IpAddr {
        self.edges[edge].host.ipv4().into()
    }

    /// The addresses of the name in the order in which the resolver of a server's host gives them.
    pub fn resolved(&self, server: &str) -> Vec<IpAddr> {
        let mut getent = Command::new("getent");
        getent.args(["ahosts", NAME]);
        let mut found: Vec<IpAddr> = Vec::new();
        for line in self.output(self.host(server), getent).lines() {
            let address = line.split_whitespace().next().and_then(|word| word.parse().ok());
            found.extend(address.filter(|address| !found.contains(address)));
        }
        found
    }

    /// Waits until every server has reported, and reports on.
    pub fn wait_all_report(&self) {
        self.wait_reports_of_all(2);
    }

    /// What an agent says of its edges.
    pub fn edges_of(&self, server: &str) -> Result<Value, String> {
        let mut ask = Command::new(workspace_binary("quorate-agent"));
        ask.arg("--config").arg(self.agent_config(server)).args(["edges", "--json"]);
        let said = self.lab.output(self.host(server), ask);
        if !said.status.success() {
            return Err(String::from_utf8_lossy(&said.stderr).into_owned());
        }
        serde_json::from_slice(&said.stdout).map_err(|error| error.to_string())
    }

    /// Waits until an agent has measured so many edges, and sits on the one that it found best.
    pub fn wait_settled(&self, server: &str, edges: usize, best: usize) {
        self.wait_measured(server, edges);
        // It may have begun there, before there was anything to choose by.
        self.wait_by(server, best, &["no_choice", "first", "edge_better"]);
    }

    /// Waits until an agent has measured so many edges.
    pub fn wait_measured(&self, server: &str, edges: usize) {
        wait_for(&format!("{server} has measured {edges} edges"), SOON, || {
            let said = self.edges_of(server)?;
            let rows = said["edges"].as_array().ok_or("no edges")?;
            let measured = rows.iter().filter(|row| !row["times"].is_null()).count();
            if measured == edges { Ok(()) } else { Err(said["edges"].to_string()) }
        });
    }

    /// Waits until a server's session goes by an edge: the aggregator has measured so, and the agent says so for one of
    /// these reasons.
    pub fn wait_by(&self, server: &str, edge: usize, reasons: &[&str]) {
        let edge_address = self.address(edge);
        let reason = reasons.join(" or ");
        wait_for(&format!("{server} goes by edge {edge} ({reason})"), SOON, || {
            let from = self.comes_from(server)?;
            if from != edge_address {
                return Err(format!("it comes from {from}"));
            }
            let session = self.edges_of(server)?["session"].take();
            let is_it = session["address"] == edge_address.to_string();
            let why = session["why"].as_str().unwrap_or_default();
            if is_it && reasons.contains(&why) { Ok(()) } else { Err(session.to_string()) }
        });
    }

    /// Starts an agent and waits until it has a session by this edge; says how long it took from the first look for one.
    pub fn connects(&mut self, server: &'static str, edge: usize, at_most: Duration) -> Duration {
        let opened = |fleet: &Self| -> Vec<Duration> {
            let log = fleet.agent_log(server);
            let spans =
                log.split("connect_ms=").skip(1).filter_map(|after| after.split_whitespace().next()?.parse().ok());
            spans.map(Duration::from_millis).collect()
        };
        let before = opened(self).len();
        self.start_agent(server);
        let took = wait_for(&format!("{server} has a session"), promised(at_most), || {
            opened(self).get(before).copied().ok_or_else(|| "none".to_owned())
        });
        assert_eq!(self.comes_from(server), Ok(self.address(edge)));
        took
    }

    /// The servers whose sessions come through an edge, as the aggregator has it.
    pub fn agents_by(&self, edge: usize) -> Result<Vec<String>, String> {
        let found = self.get(&format!("/api/v1/edges/{}", id(edge)))?;
        let agents = found["agents"].as_array().ok_or_else(|| found.to_string())?;
        Ok(agents.iter().map(|agent| agent["server"].as_str().unwrap_or_default().to_owned()).collect())
    }

    /// Waits until the aggregator has found that about an edge by its own look.
    pub fn wait_edge(&self, edge: usize, state: &str) {
        wait_for(&format!("the aggregator finds edge {edge} {state}"), SOON, || {
            let found = self.get(&format!("/api/v1/edges/{}", id(edge)))?;
            if found["state"] == state { Ok(()) } else { Err(found.to_string()) }
        });
    }

    /// The outer address of a server's session, as the aggregator has measured it.
    pub fn comes_from(&self, server: &str) -> Result<IpAddr, String> {
        let found = self.server(server)?;
        let peer = found["session"]["peer_addr"].as_str().ok_or_else(|| format!("{server} has no session"))?;
        peer.parse().map(|peer: SocketAddr| peer.ip()).map_err(|error| format!("{peer}: {error}"))
    }

    /// Makes trouble for an edge that a server's session goes by, and waits until its reports come by another one: soon
    /// enough after the trouble began, all of them and none twice.
    pub fn loses(&mut self, server: &str, edge: usize, at_most: Duration, trouble: impl FnOnce(&mut Self)) {
        assert_eq!(self.comes_from(server), Ok(self.address(edge)), "the trouble is where the session is");
        let passed = timed(|| trouble(self));
        let before = self.last_report_ms(server);
        let left = promised(at_most + EDGE_ROUND).saturating_sub(passed);
        wait_for(&format!("{server} reports past edge {edge}, {passed:?} into the trouble"), left, || {
            let from = self.comes_from(server)?;
            let is_past = from != self.address(edge) && self.last_report_ms(server) > before;
            if is_past { Ok(()) } else { Err(format!("its session came from {from}")) }
        });
        self.assert_no_report_missing(None);
    }

    /// Waits until a server is back on an edge that it had lost. It has ended the session on the other one by itself, with
    /// that reason, and was back within the jitter of a planned move.
    pub fn returns(&mut self, server: &str, edge: usize) {
        self.wait_by(server, edge, &["edge_return"]);
        self.assert_moved(server, "edge_return");
        self.assert_no_report_missing(None);
    }

    /// Fails unless the last session began by a planned move: a Goodbye for this reason, and then no back-off.
    pub fn assert_moved(&self, server: &str, reason: &str) {
        let sessions = self.sessions(server);
        let [.., before, now] = &sessions[..] else { panic!("{server} has moved: {sessions:?}") };
        let (closed_at_ms, why) = before.closed.as_ref().expect("the session before this one has ended");
        assert_eq!(why, reason, "{sessions:?}");
        let gap = Duration::from_millis(now.opened_at_ms.saturating_sub(*closed_at_ms));
        assert!(gap < promised(PLANNED_AT_MOST), "a planned move took {gap:?}");
        assert!(now.closed.is_none(), "{sessions:?}");
    }

    fn last_report_ms(&self, server: &str) -> u64 {
        let found = self.server(server).expect("the API answers");
        found["last_report_at_ms"].as_u64().unwrap_or_default()
    }

    /// The file in which an agent remembers its edges.
    pub fn remembered(&self, server: &str) -> PathBuf {
        self.agent_data(server).join("edges.json")
    }

    /// Puts something else into that file.
    pub fn remember(&self, server: &str, text: &str) {
        fs::write(self.remembered(server), text).expect("an agent has a data directory");
    }
}

/// What an edge is called in the fleet's file.
fn id(number: usize) -> String {
    format!("edge-{number}")
}
