//! A whole fleet in a lab: one aggregator, and on each further host a VPN server and an agent, all of them real. Time is
//! scaled: a round takes two seconds.

mod archive;
mod edges;
mod inventory;
mod verdicts;
mod watch;

use std::collections::BTreeMap;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

pub use self::archive::{Archived, PastReport, PastSession};
pub use self::edges::{EDGE_NEEDS, EDGE_ROUND};
pub use self::inventory::{EIGHT, FIVE, Member, Pace, Way, server, verifier};
pub use self::watch::{Seen, Watch};
use crate::certificate::Certificate;
use crate::clock::{pass, wait_for};
use crate::edge::{Edge, PORT};
use crate::machine::{Need, workspace_binary};
use crate::names::NameServer;
use crate::network::{Host, Lab};
use crate::postgres::Postgres;
use crate::process::Process;
use crate::vpn::{Protocol, VpnServer};
use crate::{decoy, http, vpn};

/// What a test of a whole fleet needs beside namespaces.
pub const NEEDS: &[Need] = &[decoy::available, || vpn::binary().map(drop)];

/// Where the aggregator lives.
pub const AGGREGATOR: Host = Host(1);
/// One round of every agent.
pub const ROUND: Duration = Pace::LAB.round;

/// Edges are asked for and looked at so many times more often than documented: every 0.4 and 2 s.
pub const EDGE_SPEED: u32 = 150;
/// Where the gateway listens. What agents dial may be something else.
pub const GATEWAY: SocketAddr = SocketAddr::new(IpAddr::V4(AGGREGATOR.ipv4()), PORT);
const API: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8180);

/// The running fleet. Everything ends with it.
pub struct Fleet {
    aggregator: Option<Process>,
    agents: BTreeMap<&'static str, Process>,
    servers: BTreeMap<&'static str, VpnServer>,
    members: Vec<Member>,
    ways: Vec<Way>,
    certificate: Certificate,
    dialled: String,
    token: String,
    database: Option<String>,
    aggregator_variables: Vec<(&'static str, String)>,
    events_before: u64,
    /// What its agents go through, in the order in which it was given; nothing if they go straight.
    pub edges: Vec<Edge>,
    names: Option<NameServer>,
    /// How many times more often than documented the agents started next look at their edges.
    pub edge_speed: u32,
    /// Dropped last: what runs in the namespaces ends before they go.
    pub lab: Lab,
}

impl Fleet {
    /// Starts everything; returns when every server is `ok` and sees all others.
    pub fn start(members: &[Member], ways: &[Way]) -> Self {
        let mut fleet = Self::build(members, ways, Pace::LAB, 0);
        fleet.launch();
        fleet
    }

    /// Hosts with their VPN servers, and `spare` ones after them; nothing of Quorate runs until [`Self::launch`].
    pub fn prepare(members: &[Member], ways: &[Way], pace: Pace, spare: u8) -> Self {
        Self::build(members, ways, pace, spare)
    }

    /// The same with the aggregator's data in PostgreSQL.
    pub fn start_on_postgres(members: &[Member], ways: &[Way]) -> (Self, Postgres) {
        let mut fleet = Self::build(members, ways, Pace::LAB, 0);
        let database = Postgres::start(&fleet.lab, AGGREGATOR);
        fleet.keep_in(database.url());
        fleet.launch();
        (fleet, database)
    }

    /// Starts aggregator and agents; returns when every server is `ok` and sees all others.
    pub fn launch(&mut self) {
        self.start_aggregator();
        for member in self.members.clone() {
            self.enroll(member.id);
            self.start_agent(member.id);
        }
        self.wait_all_ok();
        self.wait_all_seen();
        self.events_before = self.last_event();
    }

    /// Hosts with their VPN servers, if they have a way in, and `spare` ones after them; and the fleet's file.
    fn build(members: &[Member], ways: &[Way], pace: Pace, spare: u8) -> Self {
        let lab = Lab::new(members.len() as u8 + 1 + spare);
        let certificate = Certificate::make(lab.folder());
        let mut fleet = Self {
            aggregator: None,
            agents: BTreeMap::new(),
            servers: BTreeMap::new(),
            members: members.to_vec(),
            ways: ways.to_vec(),
            certificate,
            dialled: GATEWAY.to_string(),
            token: String::new(),
            database: None,
            aggregator_variables: Vec::new(),
            events_before: 0,
            edges: Vec::new(),
            names: None,
            edge_speed: EDGE_SPEED,
            lab,
        };
        for member in members.iter().filter(|_| !ways.is_empty()) {
            fleet.start_service(member.id);
        }
        let placed: Vec<_> = members.iter().map(|member| (*member, fleet.host(member.id))).collect();
        let declared = inventory::declare(&placed, ways, &fleet.certificate, pace);
        fs::write(fleet.inventory_path(), declared).unwrap();
        fleet
    }

    /// The host of a server.
    pub fn host(&self, id: &str) -> Host {
        let place = self.members.iter().position(|member| member.id == id);
        Host(place.unwrap_or_else(|| panic!("{id} is no server of this fleet")) as u8 + 2)
    }

    /// The hosts of a country's servers.
    pub fn country(&self, country: &str) -> Vec<Host> {
        let here = self.members.iter().filter(|member| member.country() == country);
        here.map(|member| self.host(member.id)).collect()
    }

    /// The hosts of all servers but these.
    pub fn all_but(&self, hosts: &[Host]) -> Vec<Host> {
        self.members.iter().map(|member| self.host(member.id)).filter(|host| !hosts.contains(host)).collect()
    }

    // The aggregator.

    /// From its next start on the aggregator keeps its data there.
    pub fn keep_in(&mut self, url: String) {
        self.database = Some(url);
    }

    /// From its next start on the aggregator has these variables too.
    pub fn set_aggregator_variables(&mut self, variables: &[(&'static str, String)]) {
        self.aggregator_variables = variables.to_vec();
    }

    /// Its process.
    pub fn aggregator(&self) -> &Process {
        self.aggregator.as_ref().expect("the aggregator runs")
    }

    /// Starts it on what it left behind, or on nothing; returns when it is ready.
    pub fn start_aggregator(&mut self) {
        self.spawn_aggregator();
        self.wait_ready();
    }

    /// Starts it and does not wait.
    pub fn spawn_aggregator(&mut self) {
        let mut command = Command::new(workspace_binary("quorate-aggregator"));
        command.arg("serve").arg("--data-dir").arg(self.data_folder()).arg("--fleet").arg(self.inventory_path());
        command.args(["--listen-gateway", &GATEWAY.to_string(), "--gateway-name", &self.dialled]);
        command.args(["--listen-api", &API.to_string()]);
        command.envs(self.aggregator_variables.iter().cloned());
        if let Some(url) = &self.database {
            command.arg("--database").arg(url);
        }
        self.aggregator = Some(self.lab.spawn(AGGREGATOR, "aggregator", command));
    }

    /// Waits until it serves.
    pub fn wait_ready(&mut self) {
        let Self { aggregator, lab, .. } = self;
        let process = aggregator.as_mut().expect("the aggregator runs");
        wait_for("the aggregator is ready", Duration::from_secs(30), || {
            process.assert_runs();
            let answer = lab.namespace(AGGREGATOR).within(|| http::get(API, "/readyz", None))?;
            if answer.status == 200 { Ok(()) } else { Err(format!("/readyz says {}", answer.status)) }
        });
        let token = fs::read_to_string(self.data_folder().join("admin-token")).unwrap_or_default();
        token.trim().clone_into(&mut self.token);
    }

    /// What it answers to who asks whether it is ready.
    pub fn ready(&self) -> Result<u16, String> {
        self.lab.namespace(AGGREGATOR).within(|| http::get(API, "/readyz", None)).map(|answer| answer.status)
    }

    /// Stops it where it stands for `span`, then lets it go on.
    pub fn pause_aggregator(&self, span: Duration) {
        let aggregator = self.aggregator();
        aggregator.pause();
        pass(span);
        aggregator.resume();
    }

    /// Ends it without warning.
    pub fn kill_aggregator(&mut self) {
        self.aggregator.take().expect("the aggregator runs").kill();
    }

    // Agents and services.

    /// Makes a server's agent known, before its first start.
    pub fn enroll(&self, id: &str) {
        let mut ask = Command::new(workspace_binary("quorate-aggregator"));
        ask.args(["enroll", id]).arg("--data-dir").arg(self.data_folder());
        let printed = self.output(AGGREGATOR, ask);
        let mut enroll = Command::new(workspace_binary("quorate-agent"));
        enroll.arg("--config").arg(self.agent_config(id)).arg("enroll").arg(printed.trim());
        self.output(self.host(id), enroll);
    }

    /// Takes a server's certificate out of force.
    pub fn revoke(&self, id: &str) {
        let mut revoke = Command::new(workspace_binary("quorate-aggregator"));
        revoke.args(["revoke", id]).arg("--data-dir").arg(self.data_folder());
        self.output(AGGREGATOR, revoke);
    }

    /// Starts the agent of a server.
    pub fn start_agent(&mut self, id: &'static str) {
        self.start_agent_with(id, &[]);
    }

    /// The same with variables in its environment.
    pub fn start_agent_with(&mut self, id: &'static str, variables: &[(&str, String)]) {
        let mut command = Command::new(workspace_binary("quorate-agent"));
        command.envs(variables.iter().cloned());
        self.run_agent(id, command);
    }

    /// The same without root's way past permissions: what is read-only is so for it too.
    pub fn start_agent_bound_by_permissions(&mut self, id: &'static str) {
        let mut command = Command::new("setpriv");
        let without = "-dac_override,-dac_read_search";
        command.args(["--bounding-set", without, "--inh-caps", without]).arg(workspace_binary("quorate-agent"));
        self.run_agent(id, command);
    }

    fn run_agent(&mut self, id: &'static str, mut agent: Command) {
        agent.arg("run").arg("--config").arg(self.agent_config(id));
        self.agents.insert(id, self.lab.spawn(self.host(id), "agent", agent));
    }

    /// The agent's process of a server.
    pub fn agent(&self, id: &str) -> &Process {
        self.agents.get(id).unwrap_or_else(|| panic!("the agent of {id} runs"))
    }

    /// All that the agents of a server have printed, one run after the other.
    pub fn agent_log(&self, id: &str) -> String {
        fs::read_to_string(self.lab.log_path(self.host(id), "agent")).unwrap_or_default()
    }

    /// All that the aggregator has printed.
    pub fn aggregator_log(&self) -> String {
        fs::read_to_string(self.lab.log_path(AGGREGATOR, "aggregator")).unwrap_or_default()
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

    // Files.

    /// Where the aggregator keeps its things.
    pub fn data_folder(&self) -> PathBuf {
        self.lab.folder().join("aggregator")
    }

    /// The file that declares the fleet; the aggregator reads it when it starts.
    pub fn inventory_path(&self) -> PathBuf {
        self.lab.folder().join("fleet.toml")
    }

    /// Writes the agent's own file, and says where.
    fn agent_config(&self, id: &str) -> PathBuf {
        let data = self.agent_data(id);
        let path = data.with_file_name("agent.toml");
        fs::create_dir_all(path.parent().expect("a file lies in a folder")).unwrap();
        let (gateway, data, edge_speed) = (&self.dialled, data.display(), self.edge_speed);
        let text = format!(
            "gateway = \"{gateway}\"\ndata_dir = \"{data}\"\n\
             [limits]\nallow_private = true\nprobes_per_minute = 60000\nmin_spacing_ms = 1\n\
             [lab]\nedge_speed = {edge_speed}\n",
        );
        // Whole or not at all: an agent that starts may be reading it.
        let new = path.with_extension("new");
        fs::write(&new, text).and_then(|()| fs::rename(&new, &path)).unwrap();
        path
    }

    /// Where an agent keeps its things.
    pub fn agent_data(&self, id: &str) -> PathBuf {
        self.lab.folder().join(format!("agent-{id}/data"))
    }

    /// Runs a program in a host's network to its end; it must succeed.
    pub fn output(&self, host: Host, command: Command) -> String {
        let line = format!("{command:?}");
        let output = self.lab.output(host, command);
        let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{line} failed ({}):\n{out}{err}", output.status);
        out.into_owned()
    }
}
