//! The program as people and scripts use it: a real process, real signals, exit codes and lines.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

/// A command of the program on a data directory, with nothing of the caller's own settings.
fn command(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quorate-aggregator"));
    for name in ["QUORATE_URL", "QUORATE_TOKEN", "QUORATE_DATABASE", "RUST_LOG"] {
        command.env_remove(name);
    }
    command.env("QUORATE_DATA_DIR", data).env("NO_COLOR", "1");
    command
}

/// A running aggregator.
struct Serve {
    place: TempDir,
    child: Child,
    said: Vec<String>,
    log: mpsc::Receiver<String>,
}

impl Serve {
    fn start(flags: &[&str]) -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), flags)
    }

    fn start_in(place: TempDir, flags: &[&str]) -> Self {
        let mut command = command(&place.path().join("data"));
        command.args(["serve", "--listen-api", "127.0.0.1:0", "--listen-gateway", "127.0.0.1:0"]).args(flags);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (log_in, log) = mpsc::channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        std::thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| log_in.send(line)));
        let mut said = Vec::new();
        for line in BufReader::new(child.stdout.take().unwrap()).lines() {
            said.push(line.unwrap());
            if said.last().unwrap().starts_with("API and page: ") {
                break;
            }
        }
        Self { place, child, said, log }
    }

    fn data(&self) -> PathBuf {
        self.place.path().join("data")
    }

    fn run(&self, args: &[&str]) -> Ran {
        Ran::of(command(&self.data()).args(args).output().unwrap())
    }

    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(i32::try_from(self.child.id()).unwrap()), signal).unwrap();
    }

    /// Waits for a line of the log.
    fn logged(&self, part: &str) -> String {
        loop {
            let line =
                self.log.recv_timeout(Duration::from_secs(10)).unwrap_or_else(|_| panic!("no line has '{part}'"));
            if line.contains(part) {
                return line;
            }
        }
    }

    /// Ends it as a service manager does.
    fn end(mut self) -> TempDir {
        let begun = Instant::now();
        self.signal(Signal::SIGTERM);
        assert!(self.child.wait().unwrap().success(), "SIGTERM is an end in order");
        assert!(begun.elapsed() < Duration::from_secs(10));
        self.place
    }
}

#[derive(Debug)]
struct Ran {
    code: i32,
    out: String,
    err: String,
}

impl Ran {
    fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
    }

    fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// One clear line and nothing else.
    fn refusal(&self) -> &str {
        assert_eq!((self.code, self.out.as_str()), (2, ""), "{self:?}");
        assert_eq!(self.err.lines().count(), 1, "{self:?}");
        self.err.trim_end().strip_prefix("error: ").unwrap_or_else(|| panic!("{self:?}"))
    }
}

#[test]
fn the_commands_do_what_they_say_and_end_with_their_codes() {
    let serve = Serve::start(&["--gateway-name", "watch.example.org:443"]);

    let empty = serve.run(&["status"]);
    assert_eq!((empty.code, empty.err.as_str()), (0, ""));
    assert!(empty.out.starts_with("No servers yet"), "{}", empty.out);

    for (id, address) in [("nl-1", "198.51.100.7"), ("de-1", "203.0.113.9")] {
        let added = serve.run(&["server", "add", id, "--address", address, "--country", "NL"]);
        assert_eq!(added.code, 0, "{added:?}");
    }
    assert_eq!(serve.run(&["route", "add", "eu", "nl-1/tls", "de-1/tls"]).code, 0);
    assert_eq!(
        serve.run(&["server", "add", "nl-1", "--address", "192.0.2.1"]).refusal(),
        "server 'nl-1' exists: change it with `server set nl-1`"
    );
    assert!(
        serve.run(&["server", "set", "nl-1", "--country", "nl"]).refusal().starts_with("server 'nl-1': country: 'nl'")
    );
    assert!(serve.run(&["route", "add", "x", "nl-1/quic"]).refusal().contains("which is no entry point of the fleet"));

    assert_eq!(serve.run(&["server", "set", "nl-1", "--intent", "drained"]).code, 0);
    let refused = serve.run(&["server", "set", "de-1", "--intent", "drained"]);
    assert!(refused.refusal().contains("route 'eu' would be left without"), "{refused:?}");
    let forced = serve.run(&["server", "set", "de-1", "--intent", "drained", "--force"]);
    assert_eq!(forced.code, 0, "{forced:?}");
    let eu = serve.run(&["explain", "eu"]);
    assert_eq!(eu.code, 1, "a last resort is to be looked at: {eu:?}");
    let set = serve.run(&[
        "server",
        "set",
        "de-1",
        "--intent",
        "active",
        "--entry-point",
        "name=tls,port=8443,sni=example.com",
    ]);
    assert_eq!(set.code, 0, "{set:?}");
    let listed = serve.run(&["--json", "server", "list"]).json();
    assert_eq!(listed[0]["entry_points"][0]["address"], "203.0.113.9:8443");

    assert_eq!(serve.run(&["verifier", "nl-1", "on"]).code, 0);
    assert_eq!(serve.run(&["verifier", "zz", "on"]).refusal(), "no server is called 'zz'");
    assert_eq!(serve.run(&["explain", "zz"]).refusal(), "no server is called 'zz'");
    let explained = serve.run(&["explain", "nl-1"]);
    assert_eq!(explained.code, 0);
    assert!(
        explained.out.contains("Waiting for the first report") && explained.out.contains("[R6"),
        "{}",
        explained.out
    );

    let enrolled = serve.run(&["enroll", "nl-1"]);
    assert_eq!(enrolled.out.lines().count(), 1, "one command: {enrolled:?}");
    assert!(enrolled.out.starts_with("quorate-agent enroll --gateway watch.example.org:443 q1."), "{}", enrolled.out);

    let made = serve.run(&["token", "create", "panel", "--scope", "feed"]);
    let feed_only = Ran::of(command(&serve.data()).args(["status", "--token", made.out.trim()]).output().unwrap());
    assert!(feed_only.refusal().contains("needs a token of scope 'read'"));
    let tokens = serve.run(&["token", "list", "--json"]).json();
    let id = tokens["items"][1]["id"].as_str().unwrap();
    assert_eq!(serve.run(&["token", "revoke", id]).code, 0);
    assert!(serve.run(&["token", "revoke", id]).refusal().starts_with("no token is called"));

    let events = serve.run(&["events", "--json", "--subject", "nl-1"]);
    assert!(events.out.lines().all(|line| line.starts_with("{\"id\":")), "{}", events.out);
    let matrix = serve.run(&["matrix"]);
    assert_eq!(matrix.code, 0, "nobody has lost anybody: {matrix:?}");
    assert!(matrix.out.contains("not probed") && matrix.out.contains("○ Nothing is known: "), "{matrix:?}");
    assert!(serve.run(&["matrix", "--country", "SE"]).out.starts_with("Nobody is in this part of the mesh"));
    assert!(serve.run(&["matrix", "--country", "NL"]).out.contains("nl-1"));
    assert_eq!(serve.run(&["matrix", "--json", "--country", "SE"]).json()["rows"], serde_json::json!([]));
    assert!(serve.run(&["routes"]).out.contains("eu delivers 1 of 2"));
    let private = serve.run(&["server", "set", "de-1", "--address", "10.0.0.20", "--intent", "disabled", "--force"]);
    assert_eq!(private.code, 0, "{private:?}");
    assert!(
        private.err.contains("10.0.0.20 (private), port 8443 unless the agent.toml of every server"),
        "{private:?}"
    );
    let routes = serve.run(&["routes"]);
    assert_eq!(routes.code, 1, "a last resort is to be looked at: {routes:?}");
    assert!(routes.out.contains("de-1/tls") && routes.out.contains("– disabled"), "{}", routes.out);
    let disabled = serve.run(&["explain", "de-1/tls"]);
    assert_eq!(disabled.code, 0);
    assert!(disabled.out.starts_with("de-1/tls  – disabled"), "{}", disabled.out);
    assert_eq!(serve.run(&["server", "remove", "nl-1", "--force"]).code, 0);
    serve.end();
}

#[test]
fn edges_are_kept_by_the_command_line() {
    let serve = Serve::start(&[]);
    assert!(serve.run(&["edge", "list"]).out.starts_with("No edges yet"));
    assert_eq!(serve.run(&["edge", "add", "fra", "--network", "192.0.2.7", "--network", "2001:db8::7"]).code, 0);
    assert_eq!(
        serve.run(&["edge", "add", "fra", "--network", "192.0.2.8"]).refusal(),
        "edge 'fra' exists: change it with `edge set fra`"
    );
    assert_eq!(
        serve.run(&["edge", "add", "ams", "--network", "192.0.2.0/24"]).refusal(),
        "edge 'ams': networks: 192.0.2.0/24 overlaps with 192.0.2.7 of edge 'fra': a peer is one edge"
    );
    let json = serve.run(&["--json", "edges"]).json();
    assert_eq!((&json["items"][0]["id"], json["watch"]["state"].is_string()), (&"fra".into(), true), "{json}");
    let listed = serve.run(&["edge", "list"]).out;
    assert!(listed.contains("192.0.2.7, 2001:db8::7") && listed.contains("optional since"), "{listed}");
    assert_eq!(serve.run(&["edge", "set", "fra", "--proxy", "require"]).code, 0);
    let required = serve.run(&["--json", "edge", "list"]).json();
    let required = &required["items"][0];
    assert_eq!((&required["proxy"], &required["networks"][1]), (&"require".into(), &"2001:db8::7".into()));
    assert_eq!(serve.run(&["edge", "set", "ams", "--proxy", "require"]).refusal(), "no edge is called 'ams'");
    assert_eq!(serve.run(&["edge", "remove", "fra"]).code, 0);
    assert_eq!(serve.run(&["edge", "remove", "fra"]).refusal(), "no edge is called 'fra'");
    serve.end();
}

/// Answers one POST after another on a port of its own, the first with yes.
fn receiver() -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for status in ["200 OK", "403 Forbidden"] {
            let (mut stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut length = 0;
            for line in reader.by_ref().lines().map_while(Result::ok).take_while(|line| !line.is_empty()) {
                if let Some(value) = line.to_lowercase().strip_prefix("content-length: ") {
                    length = value.parse().unwrap();
                }
            }
            reader.take(length).read_to_end(&mut Vec::new()).unwrap();
            write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 5\r\nconnection: close\r\n\r\nheard").unwrap();
        }
    });
    addr
}

#[test]
fn channels_are_kept_tried_and_removed_by_the_command_line() {
    let serve = Serve::start(&[]);
    assert!(serve.run(&["notify", "list"]).out.starts_with("No channels yet"));
    let secret = serve.place.path().join("secret");
    std::fs::write(&secret, "0123456789abcdef\n").unwrap();
    let secret = secret.to_str().unwrap();
    let url = format!("http://{}/hook", receiver());
    assert_eq!(serve.run(&["notify", "add", "webhook", "hook", &url, "--secret-file", secret]).code, 0);
    let listed = serve.run(&["notify", "list"]).out;
    assert!(listed.contains(&url) && !listed.contains("0123456789"), "{listed}");
    let tested = serve.run(&["notify", "test", "hook"]);
    assert!(tested.code == 0 && tested.out.contains("HTTP 200 OK: heard"), "{tested:?}");
    let refused = serve.run(&["notify", "test"]);
    assert!(refused.code == 1 && refused.out.contains("HTTP 403 Forbidden: heard"), "{refused:?}");
    assert_eq!(
        serve.run(&["notify", "add", "telegram", "chat", "--chat", "-100"]).refusal(),
        "channel 'chat': token: give the bot's token; it is asked for again where the api changes"
    );
    let rules = serve.place.path().join("rules.json");
    std::fs::write(&rules, r#"{"rules": [{"channels": ["hook"], "at_least": "warning"}]}"#).unwrap();
    assert_eq!(serve.run(&["notify", "rules", "--set", rules.to_str().unwrap()]).code, 0);
    assert_eq!(serve.run(&["notify", "rules", "--json"]).json()["rules"][0]["at_least"], "warning");
    assert_eq!(serve.run(&["notify", "mute", "nl-9"]).refusal(), "no server is called 'nl-9'");
    assert_eq!(serve.run(&["server", "add", "nl-1", "--address", "198.51.100.7"]).code, 0);
    assert_eq!(serve.run(&["notify", "mute", "nl-1", "--for", "2", "--reason", "moving"]).code, 0);
    assert!(serve.run(&["notify", "mutes"]).out.contains("moving"));
    assert_eq!(serve.run(&["notify", "unmute", "nl-1"]).code, 0);
    let dead = serve.run(&["notify", "dead"]);
    assert_eq!((dead.code, dead.out.as_str()), (0, "No messages are dead.\n"));
    assert_eq!(serve.run(&["notify", "redeliver", "7"]).refusal(), "no delivery is called '7'");
    assert_eq!(serve.run(&["notify", "remove", "hook"]).code, 0);
    serve.end();
}

#[test]
fn a_restart_keeps_everything_and_shows_no_token_again() {
    let serve = Serve::start(&[]);
    assert_eq!(serve.run(&["server", "add", "nl-1", "--address", "198.51.100.7"]).code, 0);
    let again = Serve::start_in(serve.end(), &[]);
    assert_eq!(again.said.len(), 1, "{:?}", again.said);
    assert_eq!(again.run(&["--json", "server", "list"]).json()[0]["id"], "nl-1");
    again.end();
}

#[test]
fn the_first_token_is_printed_for_who_asks_and_else_its_file_is_named() {
    let kept = |serve: &Serve| std::fs::read_to_string(serve.data().join("admin-token")).unwrap().trim().to_owned();
    // Standard output is a pipe here, as it is under systemd.
    let quiet = Serve::start(&["--gateway-name", "watch.example.org"]);
    let place = quiet.data().join("admin-token").display().to_string();
    assert!(quiet.said[0].starts_with(&format!("The first admin token is in {place}")), "{:?}", quiet.said);
    assert!(quiet.said[1].contains(", which agents dial as watch.example.org:"), "{:?}", quiet.said);
    let printed = quiet.said.concat() + &quiet.log.try_iter().collect::<String>();
    assert!(!printed.contains(&kept(&quiet)), "{printed}");

    let asked = Serve::start(&["--show-token"]);
    assert_eq!(asked.said[0], format!("Admin token, shown this once: {}", kept(&asked)));
}

#[test]
fn a_port_in_use_is_one_clear_line_and_leaves_nothing_behind() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    let serve = |flag: &str, other: &str| {
        Ran::of(
            command(&data).args(["serve", flag, &addr, other, "127.0.0.1:0", "--gateway-name", "x"]).output().unwrap(),
        )
    };
    let api = serve("--listen-api", "--listen-gateway");
    assert!(api.refusal().starts_with(&format!("cannot listen on {addr} for the API: ")), "{api:?}");
    let gateway = serve("--listen-gateway", "--listen-api");
    assert!(gateway.refusal().contains("give another address with --listen-gateway"), "{gateway:?}");
    assert!(!data.exists());
}

#[test]
fn a_gateway_name_that_nobody_can_dial_is_refused_before_anything_is_made() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    for name in ["", "bad name", "watch.example.org:99999", "http://watch.example.org"] {
        let flags = ["serve", "--listen-api", "127.0.0.1:0", "--listen-gateway", "127.0.0.1:0", "--gateway-name", name];
        let refused = Ran::of(command(&data).args(flags).output().unwrap());
        assert!(refused.refusal().starts_with(&format!("--gateway-name '{name}': give a host name")), "{refused:?}");
    }
    assert!(!data.exists());
}

#[test]
fn a_second_aggregator_on_one_data_directory_is_refused() {
    let first = Serve::start(&[]);
    let data = first.data();
    let url = std::fs::read_to_string(data.join("api-url")).unwrap();
    let flags = ["serve", "--listen-api", "127.0.0.1:0", "--listen-gateway", "127.0.0.1:0", "--gateway-name", "x"];
    let second = Ran::of(command(&data).args(flags).output().unwrap());
    assert!(second.refusal().contains("another aggregator runs on it"), "{second:?}");
    assert_eq!(std::fs::read_to_string(data.join("api-url")).unwrap(), url);
    Serve::start_in(first.end(), &[]).end();
}

#[test]
fn a_refusal_is_one_line_whatever_it_quotes() {
    let serve = Serve::start(&[]);
    for id in ["a\nb", "a\u{1b}[31mb", "."] {
        serve.run(&["server", "add", id, "--address", "198.51.100.7"]).refusal();
        serve.run(&["explain", id]).refusal();
    }
    assert_eq!(serve.run(&["--json", "server", "list"]).json().as_array().unwrap().len(), 0);
    serve.end();
}

#[test]
fn an_aggregator_whose_output_nobody_reads_goes_on() {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let flags = ["serve", "--listen-api", "127.0.0.1:0", "--listen-gateway", "127.0.0.1:0", "--gateway-name", "x"];
    let mut child = command(&data).args(flags).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let log = BufReader::new(child.stderr.take().unwrap());
    let runs = log.lines().map_while(Result::ok).any(|line| line.contains("the aggregator runs"));
    assert!(runs, "{:?}", child.wait());
    let status = Ran::of(command(&data).arg("status").output().unwrap());
    assert_eq!(status.code, 0, "{status:?}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_bad_fleet_file_keeps_the_old_fleet_and_names_its_line() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("fleet.toml");
    let good = "[[servers]]\nid = \"nl-1\"\naddress = \"198.51.100.7\"\n";
    let path = file.to_str().unwrap().to_owned();

    std::fs::write(&file, format!("{good}country = \"nl\"\n")).unwrap();
    let mut first = command(&place.path().join("data"));
    let flags = ["serve", "--listen-api", "127.0.0.1:0", "--listen-gateway", "127.0.0.1:0", "--fleet", &path];
    let refused = Ran::of(first.args(flags).output().unwrap());
    let told = format!("{path}:4: server 'nl-1': country: 'nl': a country is two capital letters, like NL");
    assert_eq!(refused.refusal(), told);

    std::fs::write(&file, good).unwrap();
    let serve = Serve::start_in(place, &["--fleet", &path]);
    assert!(serve.run(&["server", "remove", "nl-1"]).refusal().contains(&format!("declared in {path}")));
    std::fs::write(&file, format!("{good}port = 1\n")).unwrap();
    serve.signal(Signal::SIGHUP);
    let line = serve.logged(&format!("{path}:4: unknown field `port`"));
    assert!(line.contains("the fleet as it was stays in force"), "{line}");
    std::fs::write(&file, format!("{good}country = \"NL\"\n")).unwrap();
    serve.signal(Signal::SIGHUP);
    serve.logged("the fleet file is in force");
    assert_eq!(serve.run(&["--json", "server", "list"]).json()[0]["country"], "NL");
    serve.end();
}

#[test]
fn a_fleet_file_that_takes_everything_away_needs_a_restart() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("fleet.toml");
    let path = file.to_str().unwrap().to_owned();
    let server = "[[servers]]\nid = \"nl-1\"\naddress = \"198.51.100.7\"\n";
    let route = "[[routes]]\nid = \"eu\"\nentry_points = [\"nl-1/tls\"]\n";
    std::fs::write(&file, format!("{server}{route}")).unwrap();
    let serve = Serve::start_in(place, &["--fleet", &path]);

    std::fs::write(&file, "").unwrap();
    serve.signal(Signal::SIGHUP);
    let line = serve.logged("declares no server, and 1 are watched; restart the aggregator if it is meant");
    assert!(line.contains("the fleet as it was stays in force"), "{line}");
    std::fs::write(&file, format!("{server}intent = \"drained\"\n{route}")).unwrap();
    serve.signal(Signal::SIGHUP);
    serve.logged("route 'eu' would be left without an entry point of an active server");
    assert_eq!(serve.run(&["--json", "server", "list"]).json()[0]["intent"], "active");

    let again = Serve::start_in(serve.end(), &["--fleet", &path]);
    assert_eq!(again.run(&["--json", "server", "list"]).json()[0]["intent"], "drained");
    again.end();
}

#[test]
fn events_are_followed_as_they_happen() {
    let serve = Serve::start(&[]);
    let mut follow =
        command(&serve.data()).args(["events", "--follow", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let (lines_in, lines) = mpsc::channel();
    let out = BufReader::new(follow.stdout.take().unwrap());
    std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| lines_in.send(line)));
    assert_eq!(serve.run(&["server", "add", "nl-1", "--address", "198.51.100.7"]).code, 0);
    let line = lines.recv_timeout(Duration::from_secs(10)).expect("an event comes");
    assert!(line.contains("nl-1"), "{line}");
    follow.kill().unwrap();
    follow.wait().unwrap();
    serve.end();
}

#[test]
fn an_aggregator_that_restarts_is_waited_for_and_nothing_is_missed() {
    let serve = Serve::start(&[]);
    let mut follow = command(&serve.data());
    follow.args(["events", "--follow"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut follow = follow.spawn().unwrap();
    let (said_in, said) = mpsc::channel();
    let err_in = said_in.clone();
    let (out, err) = (BufReader::new(follow.stdout.take().unwrap()), BufReader::new(follow.stderr.take().unwrap()));
    std::thread::spawn(move || out.lines().map_while(Result::ok).try_for_each(|line| said_in.send(line)));
    std::thread::spawn(move || err.lines().map_while(Result::ok).try_for_each(|line| err_in.send(line)));
    let heard = |part: &str| {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = said.recv_timeout(left).unwrap_or_else(|_| panic!("nothing is said of '{part}'"));
            if line.contains(part) {
                return;
            }
        }
    };
    assert_eq!(serve.run(&["server", "add", "nl-1", "--address", "198.51.100.7"]).code, 0);
    heard("nl-1");
    let place = serve.end();
    heard("the aggregator is gone: waiting for it to come back");
    let serve = Serve::start_in(place, &[]);
    assert_eq!(serve.run(&["server", "add", "de-1", "--address", "203.0.113.9"]).code, 0);
    heard("de-1");
    follow.kill().unwrap();
    follow.wait().unwrap();
    serve.end();
}

#[test]
fn completions_and_manual_pages_name_every_command() {
    let place = tempfile::tempdir().unwrap();
    let help = Ran::of(command(place.path()).arg("--help").output().unwrap());
    let listed = help.out.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.contains(&"status") && commands.contains(&"completions"), "{commands:?}");
    for shell in ["bash", "zsh", "fish"] {
        let script = Ran::of(command(place.path()).args(["completions", shell]).output().unwrap());
        assert_eq!((script.code, script.err.as_str()), (0, ""));
        for name in &commands {
            assert!(script.out.contains(name), "{shell} does not know {name}");
        }
    }
    let pages = place.path().join("man1");
    let written = Ran::of(command(place.path()).arg("man").arg(&pages).output().unwrap());
    assert_eq!(written.code, 0, "{written:?}");
    for name in commands.iter().filter(|name| **name != "help") {
        let page = std::fs::read_to_string(pages.join(format!("quorate-aggregator-{name}.1"))).unwrap();
        assert!(page.contains(".SH NAME"), "{name}: {page}");
    }
    let add = std::fs::read_to_string(pages.join("quorate-aggregator-server-add.1")).unwrap();
    assert!(add.contains("IP address or host name that its entry points are dialled at"), "{add}");
    let unknown = Ran::of(command(place.path()).args(["completions", "tcsh"]).output().unwrap());
    assert_eq!(unknown.code, 2);
}

#[test]
fn an_aggregator_out_of_reach_is_one_clear_line() {
    let place = tempfile::tempdir().unwrap();
    let no_token = Ran::of(command(place.path()).arg("status").output().unwrap());
    assert!(no_token.refusal().contains("admin-token is not there; give --token"), "{no_token:?}");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let url = format!("http://{closed}");
    let nobody = Ran::of(command(place.path()).args(["status", "--url", &url, "--token", "x"]).output().unwrap());
    assert!(nobody.refusal().starts_with(&format!("{url} cannot be reached (")), "{nobody:?}");
    let bad = Ran::of(command(place.path()).args(["status", "--url", "here", "--token", "x"]).output().unwrap());
    assert_eq!(bad.refusal(), "--url 'here': start it with http:// or https://");
    let unknown = Ran::of(command(place.path()).arg("sing").output().unwrap());
    assert_eq!(unknown.code, 2);
}
