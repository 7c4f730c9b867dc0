#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

//! A real Alertmanager, where it is installed (Debian's `prometheus-alertmanager`).

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use quorate_core::time::Moment;
use serde_json::Value;

use super::{item, message};
use crate::clock::wall;
use crate::notify::carrier::{Parcel, carry, keep_alerts};
use crate::notify::channel::{AlertmanagerEntry, Settings};
use crate::notify::message::{Item, Message, News};

const PROGRAM: &str = "/usr/bin/prometheus-alertmanager";
/// Longest that it may take to listen.
const STARTS_WITHIN: Duration = Duration::from_secs(30);

const CONFIG: &str = "route: {receiver: nobody}\nreceivers: [{name: nobody}]\n";

struct Alertmanager {
    addr: SocketAddr,
    child: Child,
    _folder: tempfile::TempDir,
}

impl Drop for Alertmanager {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[allow(clippy::print_stderr, reason = "the test runner counts these lines")]
fn skipped(name: &str) {
    let reason = format!("no Alertmanager: {PROGRAM} is absent");
    eprintln!("SKIPPED {name}: {reason}");
    if let Some(path) = std::env::var_os("QUORATE_SKIPPED") {
        let mut list = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        list.write_all(format!("{name}: {reason}\n").as_bytes()).unwrap();
    }
}

impl Alertmanager {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = folder.path().join("alertmanager.yml");
        std::fs::write(&config, CONFIG).unwrap();
        // It cannot be asked which port it took, so one is tried that was free a moment ago.
        let addr = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let child = Command::new(PROGRAM)
            .arg(format!("--config.file={}", config.display()))
            .arg(format!("--storage.path={}", folder.path().join("data").display()))
            .arg(format!("--web.listen-address={addr}"))
            .arg("--cluster.listen-address=")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let started = Self { addr, child, _folder: folder };
        let listens = async {
            while tokio::net::TcpStream::connect(addr).await.is_err() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(STARTS_WITHIN, listens).await.expect("Alertmanager listens");
        started
    }

    fn entry(&self) -> AlertmanagerEntry {
        let labels = BTreeMap::from([("team".to_owned(), "network".to_owned())]);
        AlertmanagerEntry { url: format!("http://{}", self.addr), labels, username: None, password: None, ca: None }
    }

    /// The states of the alerts that it knows: those that are over are none.
    async fn active(&self) -> Vec<String> {
        let url = format!("http://{}/api/v2/alerts", self.addr);
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(crate::notify::carrier::tls_for_tests())
            .no_proxy()
            .build()
            .unwrap();
        let alerts: Vec<Value> = http.get(url).send().await.unwrap().json().await.unwrap();
        let mut found: Vec<String> = alerts
            .iter()
            .map(|alert| format!("{} {}", alert["labels"]["subject"], alert["labels"]["state"]).replace('"', ""))
            .collect();
        found.sort();
        found
    }
}

fn standing(subject: &str, word: &str, now: Moment) -> Item {
    Item { subject: subject.to_owned(), word: word.to_owned(), since_ms: now.as_ms() - 60_000, ..item() }
}

async fn told(entry: &AlertmanagerEntry, items: Vec<Item>, now: Moment) {
    let message = Message { items, at_ms: now.as_ms(), ..message() };
    carry(&Settings::Alertmanager(entry.clone()), Parcel { name: "n", message: &message, now }).await.unwrap();
}

#[tokio::test]
async fn alerts_of_a_real_alertmanager_begin_change_are_kept_and_end() {
    if !std::path::Path::new(PROGRAM).exists() {
        skipped("alerts_of_a_real_alertmanager_begin_change_are_kept_and_end");
        return;
    }
    let real = Alertmanager::start().await;
    let (entry, now) = (real.entry(), wall());
    told(&entry, vec![standing("nl-1", "unreachable", now), standing("nl-2", "down", now)], now).await;
    assert_eq!(real.active().await, ["nl-1 unreachable", "nl-2 down"]);

    let change = Item { news: News::Change, was: Some("unreachable".to_owned()), ..standing("nl-1", "blocked", now) };
    told(&entry, vec![change], now).await;
    assert_eq!(real.active().await, ["nl-1 blocked", "nl-2 down"]);

    keep_alerts(&entry, &[standing("nl-1", "blocked", now), standing("de-1", "down", now)], now).await.unwrap();
    assert_eq!(real.active().await, ["de-1 down", "nl-1 blocked", "nl-2 down"], "one that it forgot is known again");

    let over = |subject: &str, was: &str| Item {
        news: News::Recovery,
        was: Some(was.to_owned()),
        ..standing(subject, "ok", now)
    };
    told(&entry, vec![over("nl-1", "blocked"), over("nl-2", "down")], wall()).await;
    assert_eq!(real.active().await, ["de-1 down"]);
}
