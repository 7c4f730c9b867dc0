//! One real agent with as many peers as wanted, and the real aggregator that it reports to.

use std::env;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use quorate_tests::clock::{cpu_of, wait_for};
use quorate_tests::process::{Process, Spawn};
use tempfile::TempDir;

use crate::kind::Kind;
use crate::peers::{NAME, OWN, Peers};
use crate::relay::Relay;

/// Who knocks.
const WITNESS: &str = "witness";
const PATIENCE: Duration = Duration::from_secs(60);

/// What the agent is given to do.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    pub kind: Kind,
    pub peers: u16,
    /// One round.
    pub interval: Duration,
    /// Budgets are divided by this.
    pub speed: u32,
}

/// The two programs; both end with it.
pub struct Mesh {
    pub agent: Process,
    /// Between the two.
    pub line: Relay,
    // Ends after the agent, and before its folder goes.
    _aggregator: Process,
    folder: TempDir,
}

impl Mesh {
    /// Starts both. The agent has its plan, and knocks or is about to.
    pub fn start(peers: &Peers, work: Work) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (data, fleet) = (folder.path().join("aggregator"), folder.path().join("fleet.toml"));
        fs::write(&fleet, inventory(peers, work)).unwrap();
        let mut serve = Command::new(program("quorate-aggregator"));
        serve.arg("serve").arg("--data-dir").arg(&data).arg("--fleet").arg(&fleet);
        serve.args(["--listen-gateway", "127.0.0.1:0", "--listen-api", "127.0.0.1:0", "--gateway-name", "127.0.0.1"]);
        let mut aggregator = start("aggregator", serve, &folder);
        let gateway = wait_for("the aggregator says where it listens", PATIENCE, || {
            aggregator.assert_runs();
            let log = aggregator.log();
            let told = log.split("Gateway: ").nth(1).and_then(|rest| rest.split(',').next());
            told.and_then(|told| told.parse::<SocketAddr>().ok()).ok_or(log)
        });
        let line = Relay::to(gateway);
        let config = folder.path().join("agent.toml");
        let text = format!(
            "gateway = \"{}\"\ndata_dir = \"{}\"\n[limits]\nports = \"any\"\nallow_loopback = true\n\
             probes_per_minute = 1000000\nmin_spacing_ms = 1\n",
            line.address,
            folder.path().join("agent").display(),
        );
        fs::write(&config, text).unwrap();
        let mut ask = Command::new(program("quorate-aggregator"));
        let printed = output(ask.args(["enroll", WITNESS]).arg("--data-dir").arg(&data));
        let mut enroll = Command::new(program("quorate-agent"));
        output(
            enroll
                .arg("--config")
                .arg(&config)
                .args(["enroll", "--gateway"])
                .arg(line.address.to_string())
                .arg(printed.trim()),
        );
        let mut run = Command::new(program("quorate-agent"));
        run.arg("run").arg("--config").arg(&config);
        let agent = start("agent", run, &folder);
        let mesh = Self { agent, line, _aggregator: aggregator, folder };
        wait_for("the agent has its plan", PATIENCE, || {
            if mesh.agent.log().contains("new plan") { Ok(()) } else { Err(mesh.agent.log()) }
        });
        mesh
    }

    /// Processor time that the agent has used since its start.
    pub fn cpu(&self) -> Duration {
        cpu_of(self.agent.pid())
    }

    /// Reports that the agent has made since its start.
    pub fn reports(&self) -> u64 {
        self.outbox().into_iter().max().unwrap_or_default()
    }

    /// Reports that the aggregator has not acknowledged, but for the last.
    pub fn unacknowledged(&self) -> usize {
        self.outbox().len().saturating_sub(1)
    }

    /// The sequence numbers in the outbox: the last one stays when it is acknowledged.
    fn outbox(&self) -> Vec<u64> {
        let files = fs::read_dir(self.outbox_folder()).into_iter().flatten().flatten();
        let number = |file: fs::DirEntry| file.file_name().to_string_lossy().strip_suffix(".report")?.parse().ok();
        files.filter_map(number).collect()
    }

    fn outbox_folder(&self) -> PathBuf {
        self.folder.path().join("agent/outbox")
    }
}

/// The witness, and its peers, which have no agents.
fn inventory(peers: &Peers, work: Work) -> String {
    let Work { kind, interval, speed, .. } = work;
    let (port, pin) = (peers.port(kind), &peers.pin);
    let mut text = format!("[policy]\ninterval_ms = {}\nmin_spacing_ms = 1\nspeed = {speed}\n", interval.as_millis());
    let witness = (WITNESS.to_owned(), OWN.to_string());
    let others = (0..work.peers).map(|number| (format!("peer-{number}"), peers.address(kind, number).ip().to_string()));
    for (id, address) in std::iter::once(witness).chain(others) {
        text.push_str(&format!(
            "[[servers]]\nid = \"{id}\"\naddress = \"{address}\"\nsite = \"{id}\"\nentry_points = [{{ probe = \"{}\", \
             port = {port}, sni = \"{NAME}\", verify = \"pin\", pins = [\"{pin}\"] }}]\n",
            kind.as_str(),
        ));
    }
    text
}

/// A program of ours that was built together with this one.
fn program(name: &str) -> PathBuf {
    env::current_exe().unwrap().with_file_name(name)
}

fn start(name: &str, command: Command, folder: &TempDir) -> Process {
    Spawn { name: name.to_owned(), log: folder.path().join(format!("{name}.log")), command }.start()
}

fn output(command: &mut Command) -> String {
    let line = format!("{command:?}");
    let output = command.output().unwrap_or_else(|error| panic!("cannot start {line}: {error}"));
    assert!(output.status.success(), "{line} failed: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}
