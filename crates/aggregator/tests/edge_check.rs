//! `edge list` and `edge check` as people and scripts use them: real processes, an edge between them on loopback.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{BufRead as _, BufReader, copy};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// An aggregator whose gateway is on an address of its own, and an edge before it.
struct Street {
    place: TempDir,
    child: Child,
    gateway: SocketAddr,
    edge: SocketAddr,
}

impl Drop for Street {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn command(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quorate-aggregator"));
    for name in ["QUORATE_URL", "QUORATE_TOKEN", "QUORATE_DATABASE", "RUST_LOG"] {
        command.env_remove(name);
    }
    command.env("QUORATE_DATA_DIR", data).env("NO_COLOR", "1");
    command
}

impl Street {
    fn open() -> Self {
        let place = tempfile::tempdir().unwrap();
        let data = place.path().join("data");
        let fleet = place.path().join("fleet.toml");
        // Connections from this machine to itself come from 127.0.0.1.
        let declared = "[policy]\ninterval_ms = 200\nmin_spacing_ms = 1\n[[edges]]\nid = \"fra\"\nnetworks = [\"127.0.0.1\", \"127.0.0.71\"]\n\
                        [[servers]]\nid = \"nl-1\"\naddress = \"198.51.100.7\"\n[[routes]]\nid = \"eu\"\nentry_points = [\"nl-1/tls\"]\n";
        std::fs::write(&fleet, declared).unwrap();
        let mut serve = command(&data);
        serve.args(["serve", "--listen-api", "127.0.0.1:0", "--listen-gateway", "127.0.0.70:0"]);
        serve.args(["--gateway-name", "127.0.0.71", "--fleet"]).arg(&fleet);
        let mut child = serve.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let places = said.find(|line| line.starts_with("API and page: ")).expect("it says where it is");
        let gateway = places.split_once("Gateway: ").expect("and where its gateway is").1;
        let gateway = gateway.split(',').next().unwrap().parse().unwrap();
        let edge = forwarder("127.0.0.71:0", gateway);
        Self { place, child, gateway, edge }
    }

    /// Runs `edge check` beside the aggregator, whose token is at hand.
    fn check(&self, args: &[&str]) -> Output {
        self.run(&[&["edge", "check"], args].concat())
    }

    fn run(&self, args: &[&str]) -> Output {
        command(&self.place.path().join("data")).args(args).output().unwrap()
    }
}

/// Forwards what comes to `at`; it ends with the process.
fn forwarder(at: &str, to: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind(at).unwrap();
    let at = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let Ok(gateway) = TcpStream::connect(to) else { continue };
            for (from, to) in [(&client, &gateway), (&gateway, &client)] {
                let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                std::thread::spawn(move || {
                    let _ = copy(&mut from, &mut to);
                    let _ = to.shutdown(Shutdown::Write);
                });
            }
        }
    });
    at
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn a_check_ends_with_0_if_only_edges_answer_and_with_1_if_the_origin_does_too() {
    let street = Street::open();
    let gateway = street.edge.to_string();
    let shut = street.check(&["--gateway", &gateway, "--origin", "127.0.0.79:9"]);
    let told = text(&shut.stdout);
    assert_eq!(shut.status.code(), Some(0), "{shut:?}");
    assert!(told.contains(&format!("● {gateway} leads to the gateway: TCP ")), "{told}");
    assert!(
        told.contains("● 127.0.0.79:9 takes no connection from here (connection_refused), while edges do."),
        "{told}"
    );
    assert!(told.contains("Nothing public that was looked at names the gateway's address"), "{told}");
    assert!(told.contains("It does not show what other networks see"), "{told}");
    assert!(!told.contains("taken on trust"), "the aggregator's authority is known: {told}");

    let origin = street.gateway.to_string();
    let open = street.check(&["--gateway", &gateway, "--origin", &origin]);
    let told = text(&open.stdout);
    assert_eq!(open.status.code(), Some(1), "{open:?}");
    assert!(told.contains(&format!("✕ {origin} answers from here, and it is the gateway")), "{told}");

    let json = street.check(&["--json", "--gateway", &gateway, "--origin", &origin]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&json["stands"], &json["origins"][0]["address"]), (&true.into(), &origin.as_str().into()));
    assert!(json["edges"][0]["handshake_ms"].is_f64() && json["unproven"].is_string(), "{json}");
}

#[test]
fn a_check_from_elsewhere_says_what_it_takes_on_trust() {
    let street = Street::open();
    let elsewhere = tempfile::tempdir().unwrap();
    let gateway = street.edge.to_string();
    let run = |args: &[&str]| command(elsewhere.path()).args(["edge", "check"]).args(args).output().unwrap();
    let trusting = run(&["--gateway", &gateway, "--origin", "127.0.0.79:9"]);
    assert_eq!(trusting.status.code(), Some(0), "{trusting:?}");
    assert!(text(&trusting.stdout).contains("○ Whether it is your gateway that answers was taken on trust"));

    let other = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let wrong = run(&["--gateway", &gateway, "--origin", "127.0.0.79:9", "--authority", other]);
    assert_eq!(wrong.status.code(), Some(1), "{wrong:?}");
    assert!(text(&wrong.stdout).contains("leads to somebody who is not the gateway"));

    let blind = run(&["--origin", "127.0.0.79"]);
    assert_eq!((blind.status.code(), text(&blind.stdout)), (Some(2), ""));
    assert!(text(&blind.stderr).starts_with("error: which name do agents dial?"), "{blind:?}");
    assert_eq!(text(&blind.stderr).lines().count(), 1);
}

#[test]
fn where_agents_dial_an_address_the_list_says_that_there_is_no_set_to_watch() {
    let street = Street::open();
    let begun = Instant::now();
    let listed = loop {
        let listed = text(&street.run(&["edge", "list"]).stdout).to_owned();
        if !listed.contains("have not been looked at yet") || begun.elapsed() > Duration::from_secs(20) {
            break listed;
        }
    };
    assert!(listed.contains("○ unknown") && listed.contains("127.0.0.1, 127.0.0.71"), "{listed}");
    assert!(listed.contains("an address and no name: there is no set of edges in DNS to watch"), "{listed}");
    let shown = street.run(&["edge", "show", "fra"]);
    assert!(text(&shown.stdout).contains("No agent comes through it."), "{shown:?}");
    assert_eq!(street.run(&["edge", "show", "zz"]).status.code(), Some(2));
}
