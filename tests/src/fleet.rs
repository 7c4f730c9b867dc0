//! A whole fleet in a lab: one aggregator, and on each further host a VPN server and an agent, all of them real. Time is
//! scaled: a round takes two seconds.

use std::collections::BTreeMap;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::certificate::{Certificate, NAME};
use crate::clock::{always, wait_for};
use crate::machine::{Need, workspace_binary};
use crate::network::{Host, Lab};
use crate::process::Process;
use crate::vpn::{Protocol, VpnServer};
use crate::{decoy, http, vpn};

/// What a test of a whole fleet needs beside namespaces.
pub const NEEDS: &[Need] = &[decoy::available, || vpn::binary().map(drop)];

/// Where the aggregator lives.
pub const AGGREGATOR: Host = Host(1);
/// One round of every agent.
pub const ROUND: Duration = Duration::from_secs(2);
/// Long enough for a series of failures, its span, and an evaluation, on a machine that is busy.
pub const VERDICT_AT_MOST: Duration = Duration::from_secs(40);

const GATEWAY_PORT: u16 = 7443;
const API: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 8180);

/// What is scaled: the spans of the default policy by 30, hold apart, so that a test sees verdicts fall. A failed knock
/// costs a fifteenth of its documented time: half a second, well past what a busy machine needs for a handshake.
const POLICY: &str = "[policy]\n\
    interval_ms = 2000\n\
    stale_after_ms = 8000\n\
    sustain_for_ms = 3000\n\
    hold_for_ms = 30000\n\
    min_spacing_ms = 25\n\
    speed = 15\n";

/// A way in that every server of a fleet has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// `‹server›/tls`: TLS over IPv4.
    Tls,
    /// `‹server›/tls6`: TLS over IPv6.
    Tls6,
    /// `‹server›/https`: TLS and a page of 64 KiB over IPv4.
    Https,
    /// `‹server›/quic`: QUIC over IPv4.
    Quic,
}

/// A server of a fleet. The country is the first half of its id in capitals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Like `nl-1`.
    pub id: &'static str,
    /// R9.
    pub verifier: bool,
}

/// A server whose word is ordinary.
pub const fn server(id: &'static str) -> Member {
    Member { id, verifier: false }
}

/// A server whose word on a single pair is trusted.
pub const fn verifier(id: &'static str) -> Member {
    Member { id, verifier: true }
}

/// Three countries: three servers, two, and three behind a border to be.
pub const EIGHT: &[Member] = &[
    server("nl-1"),
    server("nl-2"),
    server("nl-3"),
    server("de-1"),
    server("de-2"),
    server("ru-1"),
    server("ru-2"),
    server("ru-3"),
];

/// The running fleet. Everything ends with it.
pub struct Fleet {
    aggregator: Option<Process>,
    agents: BTreeMap<&'static str, Process>,
    servers: BTreeMap<&'static str, VpnServer>,
    members: Vec<Member>,
    ways: Vec<Way>,
    certificate: Certificate,
    token: String,
    /// Dropped last: what runs in the namespaces ends before they go.
    pub lab: Lab,
}

impl Fleet {
    /// Starts everything; returns when every server is `ok`.
    pub fn start(members: &[Member], ways: &[Way]) -> Self {
        let mut fleet = Self::build(members, ways);
        fleet.start_aggregator();
        for member in members {
            fleet.enroll(member.id);
            fleet.start_agent(member.id);
        }
        fleet.wait_all_ok();
        fleet
    }

    fn build(members: &[Member], ways: &[Way]) -> Self {
        let lab = Lab::new(members.len() as u8 + 1);
        let certificate = Certificate::make(lab.folder());
        let mut fleet = Self {
            aggregator: None,
            agents: BTreeMap::new(),
            servers: BTreeMap::new(),
            members: members.to_vec(),
            ways: ways.to_vec(),
            certificate,
            token: String::new(),
            lab,
        };
        for member in members {
            fleet.start_service(member.id);
        }
        fs::write(fleet.inventory_path(), fleet.inventory()).unwrap();
        fleet
    }

    /// The host of a server.
    pub fn host(&self, id: &str) -> Host {
        let place = self.members.iter().position(|member| member.id == id);
        Host(place.unwrap_or_else(|| panic!("{id} is no server of this fleet")) as u8 + 2)
    }

    /// The hosts of a country's servers.
    pub fn country(&self, country: &str) -> Vec<Host> {
        let here = self.members.iter().filter(|member| country_of(member.id) == country);
        here.map(|member| self.host(member.id)).collect()
    }

    /// The hosts of all servers but these.
    pub fn all_but(&self, hosts: &[Host]) -> Vec<Host> {
        self.members.iter().map(|member| self.host(member.id)).filter(|host| !hosts.contains(host)).collect()
    }

    // The aggregator.

    /// Starts it on what it left behind, or on nothing; returns when it is ready.
    pub fn start_aggregator(&mut self) {
        let mut command = Command::new(workspace_binary("quorate-aggregator"));
        command.arg("serve").arg("--data").arg(self.data_folder()).arg("--fleet").arg(self.inventory_path());
        command.arg("--gateway").arg(format!("{}:{GATEWAY_PORT}", AGGREGATOR.ipv4()));
        command.arg("--listen").arg(API.to_string());
        let mut process = self.lab.spawn(AGGREGATOR, "aggregator", command);
        wait_for("the aggregator is ready", Duration::from_secs(30), || {
            process.assert_runs();
            let answer = self.lab.namespace(AGGREGATOR).within(|| http::get(API, "/readyz", None))?;
            if answer.status == 200 { Ok(()) } else { Err(format!("/readyz says {}", answer.status)) }
        });
        let token = fs::read_to_string(self.data_folder().join("admin-token")).unwrap_or_default();
        token.trim().clone_into(&mut self.token);
        self.aggregator = Some(process);
    }

    /// The aggregator's process.
    pub fn aggregator(&self) -> &Process {
        self.aggregator.as_ref().expect("the aggregator runs")
    }

    /// Ends it without warning.
    pub fn kill_aggregator(&mut self) {
        self.aggregator.take().expect("the aggregator runs").kill();
    }

    // Agents and services.

    fn enroll(&self, id: &str) {
        let mut ask = Command::new(workspace_binary("quorate-aggregator"));
        ask.args(["enroll", id]).env("QUORATE_API", format!("http://{API}")).env("QUORATE_TOKEN", &self.token);
        let said = self.output(AGGREGATOR, ask);
        let token = said.split_whitespace().find(|word| word.starts_with("q1.")).expect("enroll prints a token");
        let mut enroll = Command::new(workspace_binary("quorate-agent"));
        enroll.arg("enroll").arg("--config").arg(self.agent_config(id));
        enroll.arg("--gateway").arg(format!("{}:{GATEWAY_PORT}", AGGREGATOR.ipv4())).arg(token);
        self.output(self.host(id), enroll);
    }

    /// Starts the agent of a server.
    pub fn start_agent(&mut self, id: &'static str) {
        self.start_agent_with(id, &[]);
    }

    /// The same with variables in its environment.
    pub fn start_agent_with(&mut self, id: &'static str, variables: &[(&str, &str)]) {
        let mut command = Command::new(workspace_binary("quorate-agent"));
        command.arg("run").arg("--config").arg(self.agent_config(id)).envs(variables.iter().copied());
        self.agents.insert(id, self.lab.spawn(self.host(id), "agent", command));
    }

    /// The agent's process of a server.
    pub fn agent(&self, id: &str) -> &Process {
        self.agents.get(id).unwrap_or_else(|| panic!("the agent of {id} runs"))
    }

    /// Takes the agent of a server, to be ended.
    pub fn take_agent(&mut self, id: &str) -> Process {
        self.agents.remove(id).unwrap_or_else(|| panic!("the agent of {id} runs"))
    }

    /// Starts the VPN server of a server.
    pub fn start_service(&mut self, id: &'static str) {
        let host = self.host(id);
        let odd = host.0 % 2 == 1;
        let mut protocols =
            vec![if odd || self.ways.contains(&Way::Https) { Protocol::Trojan } else { Protocol::Vless }];
        if self.ways.contains(&Way::Quic) {
            protocols.push(if odd { Protocol::Hysteria2 } else { Protocol::Tuic });
        }
        let server = VpnServer::start(&self.lab, host, &protocols, &self.certificate);
        self.servers.insert(id, server);
    }

    /// Ends the VPN server of a server without warning.
    pub fn kill_service(&mut self, id: &str) {
        self.servers.remove(id).unwrap_or_else(|| panic!("the VPN server of {id} runs")).service.kill();
    }

    // What the API says.

    /// Asks the API.
    pub fn get(&self, path: &str) -> Result<Value, String> {
        let token = Some(self.token.as_str()).filter(|token| !token.is_empty());
        let answer = self.lab.namespace(AGGREGATOR).within(|| http::get(API, path, token))?;
        let body = String::from_utf8_lossy(&answer.body);
        if answer.status != 200 {
            return Err(format!("GET {path}: {} {body}", answer.status));
        }
        serde_json::from_str(&body).map_err(|error| format!("GET {path}: {error}: {body}"))
    }

    /// One server.
    pub fn server(&self, id: &str) -> Result<Value, String> {
        self.get(&format!("/api/v1/servers/{id}"))
    }

    /// One entry point with its evidence.
    pub fn entry_point(&self, id: &str) -> Result<Value, String> {
        self.get(&format!("/api/v1/entry_points/{id}"))
    }

    /// The status of every server.
    pub fn statuses(&self) -> Result<BTreeMap<String, String>, String> {
        let list = self.get("/api/v1/servers?limit=1000")?;
        let items = list["items"].as_array().ok_or("the list of servers has no items")?;
        let word = |value: &Value| value.as_str().unwrap_or("?").to_owned();
        Ok(items.iter().map(|server| (word(&server["id"]), word(&server["status"]))).collect())
    }

    /// Waits until these servers have these statuses, and all others are `ok`.
    pub fn wait_statuses(&self, expected: &[(&str, &str)]) {
        let what =
            if expected.is_empty() { "all servers are ok".to_owned() } else { format!("{expected:?}, the others ok") };
        wait_for(&what, VERDICT_AT_MOST, || {
            let statuses = self.statuses()?;
            let wanted = |id: &str| expected.iter().find(|(named, _)| *named == id).map_or("ok", |(_, status)| status);
            let all = statuses.iter().all(|(id, status)| status == wanted(id));
            if all && statuses.len() == self.members.len() { Ok(()) } else { Err(format!("{statuses:?}")) }
        });
    }

    /// Waits until nothing is wrong.
    pub fn wait_all_ok(&self) {
        self.wait_statuses(&[]);
    }

    /// Holds for `rounds` that no server leaves the status that it has now, but those named.
    pub fn statuses_stand(&self, rounds: u32, but: &[&str]) {
        let before = self.statuses().expect("the API answers");
        always("no status changes", ROUND * rounds, || {
            let changed: Vec<String> = self
                .statuses()?
                .into_iter()
                .filter(|(id, status)| !but.contains(&id.as_str()) && before.get(id) != Some(status))
                .map(|(id, status)| format!("{id} is {status}"))
                .collect();
            if changed.is_empty() { Ok(()) } else { Err(changed.join(", ")) }
        });
    }

    /// Waits until an entry point is in a state.
    pub fn wait_state(&self, entry_point: &str, state: &str) -> Value {
        wait_for(&format!("{entry_point} is {state}"), VERDICT_AT_MOST, || {
            let found = self.entry_point(entry_point)?;
            if found["state"] == state { Ok(found) } else { Err(found.to_string()) }
        })
    }

    /// How the last knock of a witness on an entry point ended.
    pub fn last_knock(&self, witness: &str, entry_point: &str) -> Result<Value, String> {
        let server = self.server(witness)?;
        let outcomes = server["last_report"]["outcomes"].as_array().ok_or("no report yet")?;
        let found = outcomes.iter().find(|outcome| outcome["entry_point"] == entry_point);
        found.cloned().ok_or_else(|| format!("the last report of {witness} does not name {entry_point}"))
    }

    /// Waits until the last knock of a witness on an entry point ended so: all given fields are equal.
    pub fn wait_knock(&self, witness: &str, entry_point: &str, expected: &[(&str, &str)]) -> Value {
        wait_for(&format!("{witness} on {entry_point}: {expected:?}"), VERDICT_AT_MOST, || {
            let knock = self.last_knock(witness, entry_point)?;
            let same = expected.iter().all(|(field, value)| knock[*field] == *value);
            if same { Ok(knock) } else { Err(knock.to_string()) }
        })
    }

    // Files.

    fn data_folder(&self) -> PathBuf {
        self.lab.folder().join("aggregator")
    }

    fn inventory_path(&self) -> PathBuf {
        self.lab.folder().join("fleet.toml")
    }

    fn inventory(&self) -> String {
        let mut text = String::from(POLICY);
        for member in &self.members {
            let (id, country, host) = (member.id, country_of(member.id), self.host(member.id));
            text.push_str(&format!("\n[[servers]]\nid = \"{id}\"\naddress = \"{}\"\n", host.ipv4()));
            text.push_str(&format!("country = \"{country}\"\nsite = \"{id}\"\nverifier = {}\n", member.verifier));
            for way in &self.ways {
                text.push_str(&format!("[[servers.entry_points]]\n{}", self.entry(*way, host)));
            }
        }
        let ids = self
            .members
            .iter()
            .flat_map(|member| self.ways.iter().map(|way| format!("\"{}/{}\"", member.id, way.name())));
        let ids: Vec<String> = ids.collect();
        text.push_str(&format!("\n[[routes]]\nid = \"all\"\nentry_points = [{}]\n", ids.join(", ")));
        text
    }

    fn entry(&self, way: Way, host: Host) -> String {
        let probe = match way {
            Way::Tls | Way::Tls6 => "tls",
            Way::Https => "https",
            Way::Quic => "quic",
        };
        let pin = &self.certificate.pin;
        let mut text = format!(
            "name = \"{}\"\nprobe = \"{probe}\"\nsni = \"{NAME}\"\nverify = \"pin\"\npins = [\"{pin}\"]\n",
            way.name()
        );
        match way {
            Way::Tls6 => text.push_str(&format!("address = \"{}\"\n", host.ipv6())),
            Way::Https => text.push_str("every = 1\n"),
            Way::Tls | Way::Quic => {}
        }
        text
    }

    /// Writes the agent's own file, and says where.
    fn agent_config(&self, id: &str) -> PathBuf {
        let folder = self.lab.folder().join(format!("agent-{id}"));
        fs::create_dir_all(&folder).unwrap();
        let path = folder.join("agent.toml");
        let text =
            format!("state_dir = \"{}\"\n[limits]\nallow_private = true\nprobes_a_minute = 6000\n", folder.display());
        fs::write(&path, text).unwrap();
        path
    }

    /// Runs a program in a host's network to its end; it must succeed.
    pub fn output(&self, host: Host, mut command: Command) -> String {
        let output = self.lab.namespace(host).within(|| command.output()).expect("our binaries can be started");
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{command:?} failed ({}):\n{out}{err}", output.status);
        out.into_owned()
    }
}

impl Way {
    const fn name(self) -> &'static str {
        match self {
            Self::Tls => "tls",
            Self::Tls6 => "tls6",
            Self::Https => "https",
            Self::Quic => "quic",
        }
    }
}

fn country_of(id: &str) -> String {
    id.split('-').next().unwrap_or_default().to_uppercase()
}
