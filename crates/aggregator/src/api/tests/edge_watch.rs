#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

//! A whole aggregator walks round edges on addresses of loopback, and says what it finds.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use super::House;
use crate::edge_watch::Resolver;
use crate::edge_watch::relay::{Manner, Relay};

/// Longer than anything here takes, short enough to tell of a hang.
const PATIENCE: Duration = Duration::from_secs(20);

/// What the gateway's name leads to; none for a resolver that fails.
type Dns = Arc<Mutex<Option<Vec<SocketAddr>>>>;

/// An aggregator, two edges before it, and a resolver that says what the test wants.
struct Street {
    house: House,
    dns: Dns,
    fra: Relay,
    ams: Relay,
}

impl Street {
    async fn open() -> Self {
        let street = Self::without_edges().await;
        for (id, relay) in [("fra", &street.fra), ("ams", &street.ams)] {
            let edge = json!({"id": id, "networks": [relay.at.ip().to_string()]});
            assert_eq!(street.house.send(Method::PUT, &format!("/api/v1/edges/{id}"), &edge).await.status, 200);
        }
        street
    }

    /// They are there and in DNS, and nobody declared them.
    async fn without_edges() -> Self {
        let dns = Dns::default();
        let asked = Arc::clone(&dns);
        let resolver = Resolver::new(move |host, port| {
            assert_eq!((host.as_str(), port != 0), ("watch.example.org", true));
            let found = asked.lock().unwrap().clone();
            async move { found.ok_or_else(|| std::io::Error::other("no resolver")) }
        });
        // Ten rounds a second, and 300 ms for each step of a knock.
        let inventory = json!({"policy": {"interval_ms": 200, "min_spacing_ms": 1, "speed": 10}});
        let house = House::with(serde_json::from_value(inventory).unwrap(), |config| config.resolver = resolver).await;
        let gateway = house.running.gateway_addr;
        let (fra, ams) = (Relay::start([127, 0, 0, 71], gateway).await, Relay::start([127, 0, 0, 72], gateway).await);
        *dns.lock().unwrap() = Some(vec![fra.at, ams.at]);
        Self { house, dns, fra, ams }
    }

    fn in_dns(&self, addresses: &[SocketAddr]) {
        *self.dns.lock().unwrap() = Some(addresses.to_vec());
    }

    /// What the API says of the edges, once it says so.
    async fn wait_for(&self, what: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let waited = tokio::time::timeout(PATIENCE, async {
            loop {
                let found = self.house.get("/api/v1/edges").await.json();
                if is_so(&found) {
                    return found;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        let Ok(found) = waited.await else { panic!("never {what}: {}", self.house.get("/api/v1/edges").await.text) };
        found
    }

    async fn wait_for_state(&self, id: &str, state: &str) -> Value {
        let found = self.wait_for(&format!("{id} is {state}"), |found| edge(found, id)["state"] == state).await;
        edge(&found, id).clone()
    }

    async fn wait_for_alert(&self, trouble: &str) -> Value {
        let alert = |found: &Value| {
            let alerts = found["watch"]["alerts"].as_array().unwrap().iter();
            alerts.clone().find(|alert| alert["trouble"] == trouble).cloned()
        };
        alert(&self.wait_for(trouble, |found| alert(found).is_some()).await).unwrap()
    }

    async fn wait_until_all_is_well(&self) {
        self.wait_for("all is well", |found| {
            let edges = found["items"].as_array().unwrap();
            found["watch"]["alerts"] == json!([]) && edges.iter().all(|edge| edge["state"] == "ok")
        })
        .await;
    }

    /// Waits until these are the events about edges, oldest first, as `subject from to`.
    async fn told(&self, expected: &[&str]) {
        let mut told = Vec::new();
        let waited = tokio::time::timeout(PATIENCE, async {
            while told != expected {
                tokio::time::sleep(Duration::from_millis(20)).await;
                told = self.events().await;
            }
        });
        assert!(waited.await.is_ok(), "{told:?}");
    }

    async fn events(&self) -> Vec<String> {
        let events = self.house.get("/api/v1/events?kind=edge&after=0").await.json();
        let word = |event: &Value, key: &str| event[key].as_str().unwrap_or("-").to_owned();
        let events = events["items"].as_array().unwrap().iter();
        events
            .map(|event| format!("{} {} {}", word(event, "subject"), word(event, "from"), word(event, "to")))
            .collect()
    }
}

fn edge<'a>(found: &'a Value, id: &str) -> &'a Value {
    found["items"].as_array().unwrap().iter().find(|edge| edge["id"] == id).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_numbers_from_one_socket_show_which_edge_leads_to_the_gateway() {
    let mut street = Street::open().await;
    street.wait_until_all_is_well().await;
    let fra = street.wait_for_state("fra", "ok").await;
    let address = &fra["addresses"][0];
    assert_eq!(address["address"], street.fra.at.to_string());
    assert!(address["connect_ms"].is_f64() && address["handshake_ms"].is_f64(), "{address}");
    assert!(address["connect_ms"].as_f64() < address["handshake_ms"].as_f64(), "{address}");

    for (manner, state, failure) in [
        (Manner::Hold, "forwards_nothing", "generic_timeout_error"),
        (Manner::Answer, "foreign", "ssl_failed_handshake"),
        (Manner::Refuse, "unreachable", "connection_refused"),
    ] {
        street.fra.turn(manner).await;
        let fra = street.wait_for_state("fra", state).await;
        let address = &fra["addresses"][0];
        assert_eq!((&address["state"], &address["failure"]), (&json!(state), &json!(failure)));
        assert_eq!(address["connect_ms"].is_f64(), manner != Manner::Refuse, "{address}");
        assert_eq!(address.get("handshake_ms"), None);
        let fact = fra["alerts"][0]["fact"].as_str().unwrap();
        assert!(fact.contains("Edge fra") && fact.contains(&street.fra.at.to_string()), "{fact}");
        street.fra.turn(Manner::Forward).await;
        street.wait_until_all_is_well().await;
    }
    // Nothing of ams, which was well all the time.
    street
        .told(&[
            "fra ok forwards_nothing",
            "fra forwards_nothing ok",
            "fra ok foreign",
            "fra foreign ok",
            "fra ok unreachable",
            "fra unreachable ok",
        ])
        .await;
    street.house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_gateway_that_is_somebody_elses_is_foreign() {
    let street = Street::open().await;
    street.wait_until_all_is_well().await;
    let other = Street::open().await;
    // Behind it stands a gateway of the same name with an authority of its own.
    street.in_dns(&[street.fra.at, other.ams.at]);
    let ams = street.wait_for_state("ams", "foreign").await;
    assert_eq!(ams["addresses"].as_array().unwrap().last().unwrap()["failure"], "ssl_invalid_certificate");
    other.house.close().await;
    street.house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_set_in_dns_and_the_inventory_are_held_against_each_other() {
    let street = Street::open().await;
    street.wait_until_all_is_well().await;
    let stranger = Relay::start([127, 0, 0, 79], street.house.running.gateway_addr).await;
    street.in_dns(&[street.fra.at, stranger.at]);
    let missing = street.wait_for_alert("not_in_dns").await;
    assert_eq!(missing["subject"], "ams");
    // An address of this machine that is no edge's is what hosts files say, not what agents see.
    let listing = street.house.get("/api/v1/edges").await.json();
    assert_eq!(listing["watch"]["unlisted"], json!([]));

    *street.dns.lock().unwrap() = None;
    let silent = street.wait_for_alert("unresolved").await;
    assert!(silent["fact"].as_str().unwrap().contains("has no address for watch.example.org"), "{silent}");
    assert_eq!(
        edge(&street.house.get("/api/v1/edges").await.json(), "fra")["state"],
        "ok",
        "the last set is knocked on"
    );
    street.in_dns(&[stranger.at]);
    street.wait_for("itself", |found| found["watch"]["alerts"][0]["fact"].as_str().unwrap().contains("itself")).await;

    street.in_dns(&[street.fra.at, street.ams.at]);
    street.wait_until_all_is_well().await;
    let metrics = street.house.get("/metrics").await.text;
    for line in [
        format!("quorate_edge_up{{edge=\"fra\",address=\"{}\"}} 1\n", street.fra.at),
        "quorate_edge_agents{edge=\"ams\"} 0\n".to_owned(),
        "quorate_edge_alerts{trouble=\"not_in_dns\"} 0\n".to_owned(),
        "quorate_agents_past_the_edges 0\n".to_owned(),
    ] {
        assert!(metrics.contains(&line), "no {line} in {metrics}");
    }
    street.house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_without_declared_edges_hears_nothing_of_them() {
    let mut street = Street::without_edges().await;
    street.fra.turn(Manner::Refuse).await;
    // The walker has looked at the inventory, and left it at that, when the next one that has edges is walked round.
    let listing = street.house.get("/api/v1/edges").await.json();
    assert_eq!((&listing["items"], &listing["watch"]["state"]), (&json!([]), &json!("no_edges")));
    assert_eq!(listing["watch"]["past"], json!([]));
    assert!(!street.house.get("/metrics").await.text.contains("quorate_edge"));

    let edge = json!({"id": "fra", "networks": [street.fra.at.ip().to_string()]});
    assert_eq!(street.house.send(Method::PUT, "/api/v1/edges/fra", &edge).await.status, 200);
    street.wait_for_state("fra", "unreachable").await;
    assert_eq!(street.house.act(Method::DELETE, "/api/v1/edges/fra").await.status, 200);
    street.wait_for("silence", |found| found["watch"]["alerts"] == json!([])).await;
    street.told(&["fra ok unreachable", "fra unreachable ok"]).await;
    street.house.close().await;
}
