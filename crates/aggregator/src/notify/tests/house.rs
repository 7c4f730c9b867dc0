//! A whole aggregator whose servers report by themselves, about as fast as a test has patience.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use quorate_core::time::Moment;
use reqwest::Method;
use serde_json::{Value, json};

use crate::api::tests::House;
use crate::clock::Clock;
use crate::inventory::Inventory;
use crate::notify::book::write_rules;
use crate::notify::rules::RulesEntry;
use crate::store::{ChannelNews, Store};

/// Rounds of a second: silence is noticed after eight, and what is over is believed after nine.
pub fn fleet() -> Inventory {
    let server =
        |id: &str, n: u8, country: &str| json!({"id": id, "address": format!("198.51.{n}.7"), "country": country});
    let servers = [("a", "NL"), ("b", "NL"), ("c", "NL"), ("d", "RU"), ("e", "RU"), ("f", "NL")];
    let servers: Vec<Value> = servers.iter().zip(0..).map(|((id, country), n)| server(id, n, country)).collect();
    serde_json::from_value(json!({
        "policy": {"sustain_for_ms": 0, "interval_ms": 1000, "min_spacing_ms": 50, "stale_after_ms": 8000, "hold_for_ms": 8000},
        "servers": servers,
        "routes": [{"id": "all", "entry_points": ["a/tls", "b/tls", "c/tls", "d/tls", "e/tls", "f/tls"]}],
    }))
    .unwrap()
}

/// What servers fail on, and who fails.
#[derive(Debug, Clone, Default)]
pub struct Trouble {
    pub blind: Vec<&'static str>,
    pub failing: &'static str,
}

/// An aggregator whose servers report until it is closed.
pub struct Mesh {
    pub house: House,
    pub trouble: Arc<Mutex<Trouble>>,
    sequence: u64,
}

impl Mesh {
    /// With a webhook that is past its beginning, so that what happens from here on is told.
    pub async fn open(url: &str) -> Self {
        Self::with_channel("hook", &json!({"kind": "webhook", "url": url, "secret": "0123456789abcdef"})).await
    }

    /// With a channel that is past its beginning.
    pub async fn with_channel(id: &str, settings: &Value) -> Self {
        let prepare = async |store: &Store| {
            let at = Clock::start(Moment::ZERO).now();
            store.put_channel(id, &settings.to_string(), at).await.unwrap();
            write_rules(store, &RulesEntry { grouping_s: 1, rest_s: 1, rules: Vec::new() }).await.unwrap();
            settle(store).await;
        };
        let house = House::with_prepared(fleet(), prepare, |_| {}).await;
        Self { house, trouble: Arc::default(), sequence: 0 }
    }

    /// Nobody is told anything yet.
    pub async fn without_channel() -> Self {
        Self { house: House::with(fleet(), |_| {}).await, trouble: Arc::default(), sequence: 0 }
    }

    /// The aggregator ended and started again; servers go on counting their reports.
    pub async fn reopen(self) -> Self {
        Self { house: self.house.reopen().await, ..self }
    }

    pub async fn put(&self, path: &str, body: &Value) -> Value {
        let answer = self.house.send(Method::PUT, path, body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    }

    /// From here on these cannot reach that entry point.
    pub fn trouble(&self, blind: &[&'static str], failing: &'static str) {
        *self.trouble.lock().unwrap() = Trouble { blind: blind.to_vec(), failing };
    }

    /// Lets servers report until something is so.
    pub async fn until<T>(&mut self, mut found: impl AsyncFnMut(&House) -> Option<T>) -> T {
        for _ in 0..120 {
            if let Some(found) = found(&self.house).await {
                return found;
            }
            self.sequence += 1;
            let Trouble { blind, failing } = self.trouble.lock().unwrap().clone();
            self.house.round(self.sequence, &blind, failing).await;
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        panic!("it never came");
    }
}

/// As if the channel had been there for long.
pub async fn settle(store: &Store) {
    for stored in store.channels().await.unwrap() {
        let at = Clock::start(Moment::ZERO).now();
        let (channel, number, through_event) = (stored.id, stored.number, stored.through_event);
        let news = ChannelNews { channel, number, at, settled: true, through_event, ..ChannelNews::default() };
        assert!(store.tell_channel(&news).await.unwrap());
    }
}
