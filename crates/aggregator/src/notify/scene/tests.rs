#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;
use std::time::Duration;

use quorate_core::edge_watch::EdgeWatch;
use quorate_core::fleet::ServerIx;
use quorate_core::lane::LaneSet;
use quorate_core::ledger::Sight;
use quorate_core::time::Moment;
use quorate_core::verdict::{Accuser, EntryVerdict, HalfBlind, Mark, Scope, ServerVerdict, Status, Verdicts};
use serde_json::{Value, json};

use super::Scene;
use crate::edge_watch::{Picture, Trust};
use crate::engine::{Effort, Refusal, Snapshot};
use crate::inventory::Inventory;

/// 2026-11-30 14:02:07 UTC.
pub(in crate::notify) const NOW: Moment = Moment::from_ms(1_796_047_327_000);
/// Seven minutes and seven seconds before.
pub(in crate::notify) const SINCE: Moment = Moment::from_ms(1_796_046_900_000);

/// What stands in a fleet of five servers with one entry point each, drawn by hand.
pub(in crate::notify) struct Drawn {
    pub inventory: Value,
    pub snapshot: Snapshot,
    pub verdicts: Verdicts,
}

impl Drawn {
    /// All is well.
    pub fn new() -> Self {
        let server = |id: &str, country: &str, address: &str| json!({"id": id, "country": country, "address": address});
        let servers = json!([
            server("de-1", "DE", "203.0.113.1"),
            server("nl-1", "NL", "198.51.100.7"),
            server("nl-2", "NL", "192.0.2.2"),
            server("ru-1", "RU", "198.18.0.1"),
            server("ru-2", "RU", "198.18.1.1"),
        ]);
        let routes = json!([{"id": "eu", "entry_points": ["de-1/tls", "nl-1/tls"]}]);
        Self::of(json!({"servers": servers, "routes": routes}))
    }

    pub fn of(inventory: Value) -> Self {
        let read: Inventory = serde_json::from_value(inventory.clone()).unwrap();
        let (fleet, policy) = (read.fleet().unwrap(), read.policy().unwrap());
        let server = ServerVerdict {
            status: Status::Ok,
            conditions: vec![Status::Ok],
            silent: false,
            down: false,
            last_report_at: Some(NOW.before(Duration::from_secs(20))),
            discredited: LaneSet::EMPTY,
            sight: std::array::from_fn(|_| Sight::default()),
            half_blind: None,
        };
        let verdicts = Verdicts {
            at: NOW,
            servers: vec![server; fleet.servers().len()],
            entry_points: vec![EntryVerdict::default(); fleet.entry_points().len()],
            cuts: Vec::new(),
        };
        let snapshot = Snapshot {
            generation: 1,
            at: NOW,
            through: 0,
            evaluation_started_at: Moment::ZERO,
            inventory_version: 1,
            since: Arc::new(vec![SINCE; fleet.servers().len()]),
            fleet: Arc::new(fleet),
            policy: Arc::new(policy),
            inventory: Arc::new(read),
            verdicts: Arc::default(),
            last_reports: Arc::default(),
            refusals: Arc::default(),
            pattern: Arc::default(),
            effort: Effort::default(),
        };
        Self { inventory, snapshot, verdicts }
    }

    pub fn ix(&self, server: &str) -> ServerIx {
        self.snapshot.fleet.find_server(server).unwrap()
    }

    pub fn server(&mut self, id: &str) -> &mut ServerVerdict {
        let ix = self.ix(id);
        &mut self.verdicts.servers[ix.at()]
    }

    /// Of the server's one entry point.
    pub fn entry(&mut self, server: &str) -> &mut EntryVerdict {
        let ix = self.snapshot.fleet.find_entry_point(&format!("{server}/tls")).unwrap();
        &mut self.verdicts.entry_points[ix.at()]
    }

    pub fn status(mut self, server: &str, status: Status) -> Self {
        let verdict = self.server(server);
        (verdict.status, verdict.conditions) = (status, vec![status]);
        self
    }

    /// A verifier says so.
    pub fn blocked(self, server: &str, by: &str) -> Self {
        let mut drawn = self.status(server, Status::Blocked);
        let by = drawn.ix(by);
        let country = drawn.snapshot.fleet.server(by).country.unwrap();
        let entry = drawn.entry(server);
        entry.knocked = true;
        entry.blocked = [Scope::Country(country)].into_iter().collect();
        entry.blocked_by = vec![by];
        entry.accusers = vec![Accuser { witness: by, since: SINCE, streak: 7 }];
        drawn
    }

    /// One server does not reach another, and that is all.
    pub fn broken(self, target: &str, witness: &str, mutual: bool) -> Self {
        let mut drawn = self.status(target, Status::Marked);
        let witness = drawn.ix(witness);
        drawn.entry(target).marks.push(Mark { witness, mutual });
        drawn
    }

    pub fn scene(self) -> Scene {
        let picture = Picture { at: None, gateway: Vec::new(), trust: Trust::OnSight, watch: EdgeWatch::default() };
        let snapshot = Arc::new(Snapshot { verdicts: Arc::new(self.verdicts), ..self.snapshot });
        Scene { snapshot, edges: Arc::new(picture), late: Vec::new(), now: NOW }
    }
}

/// `server_status nl-1 down warning`, in the order of keys.
fn shown(scene: &Scene) -> Vec<String> {
    let mut alarms = scene.alarms();
    alarms.sort_by(|a, b| a.standing.key.cmp(&b.standing.key));
    let line = |alarm: super::Alarm| {
        let standing = alarm.standing;
        format!("{} {} {} {}", standing.key.topic, standing.key.subject, standing.word, standing.severity)
    };
    alarms.into_iter().map(line).collect()
}

fn none() -> [&'static str; 0] {
    []
}

#[test]
fn where_all_is_well_nothing_stands() {
    assert_eq!(shown(&Drawn::new().scene()), none());
}

#[test]
fn what_takes_a_server_out_of_routes_is_a_warning() {
    for status in
        [Status::Down, Status::Unreachable, Status::Blocked, Status::Degraded, Status::NoData, Status::Contested]
    {
        let told = format!("server_status nl-2 {} warning", status.as_str());
        assert_eq!(shown(&Drawn::new().status("nl-2", status).scene()), [told]);
    }
}

#[test]
fn what_somebody_wants_so_or_awaits_is_no_alarm() {
    for status in [Status::Disabled, Status::Pending, Status::Ok] {
        assert_eq!(shown(&Drawn::new().status("nl-2", status).scene()), none());
    }
    let mut never_came = Drawn::new().status("nl-2", Status::NoData);
    never_came.server("nl-2").last_report_at = None;
    assert_eq!(shown(&never_came.scene()), none());
}

#[test]
fn of_a_drained_server_everything_is_for_information() {
    let mut inventory = Drawn::new().inventory;
    inventory["servers"][2]["intent"] = json!("drained");
    let drawn = Drawn::of(inventory).status("nl-2", Status::Unreachable);
    assert_eq!(shown(&drawn.scene()), ["server_status nl-2 unreachable info"]);
}

#[test]
fn a_broken_pair_is_one_alarm_about_both() {
    let mutual = Drawn::new().broken("nl-1", "ru-1", true).broken("ru-1", "nl-1", true).scene();
    assert_eq!(shown(&mutual), ["pair nl-1 and ru-1 broken info"]);
    let alarm = mutual.alarms().remove(0);
    let names = |names: &[Arc<str>]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(names(&alarm.about.countries), ["NL", "RU"]);
    assert_eq!(names(&alarm.about.routes), ["eu"]);
    assert_eq!(alarm.about.servers.len(), 2);
}

#[test]
fn whom_something_that_is_over_was_about_is_told_by_its_key() {
    let drawn = Drawn::new().broken("nl-1", "ru-1", true);
    let alarm = drawn.scene().alarms().remove(0);
    assert_eq!(Drawn::new().scene().about(&alarm.standing.key), alarm.about);
    let drawn = Drawn::new().status("nl-1", Status::Down);
    let alarm = drawn.scene().alarms().remove(0);
    assert_eq!(Drawn::new().scene().about(&alarm.standing.key), alarm.about);
}

#[test]
fn a_route_at_its_last_resort_is_critical_unless_what_it_delivers_works() {
    let mut drawn = Drawn::new().blocked("nl-1", "ru-1").blocked("de-1", "ru-1");
    assert_eq!(shown(&drawn.scene())[0], "route eu last_resort critical");
    let mut inventory = Drawn::new().inventory;
    inventory["servers"][0]["intent"] = json!("drained");
    inventory["servers"][1]["intent"] = json!("drained");
    drawn = Drawn::of(inventory.clone());
    assert_eq!(shown(&drawn.scene()), ["route eu last_resort warning"]);
    inventory["servers"][0]["intent"] = json!("disabled");
    inventory["servers"][1]["intent"] = json!("disabled");
    assert_eq!(shown(&Drawn::of(inventory).scene()), ["route eu empty critical"]);
}

#[test]
fn an_aggregator_that_hears_nobody_is_critical() {
    let mut drawn = Drawn::new();
    for id in ["de-1", "nl-1", "nl-2", "ru-1"] {
        drawn.server(id).silent = true;
    }
    assert_eq!(shown(&drawn.scene()), none(), "one is heard");
    let mut drawn = Drawn::new();
    for verdict in &mut drawn.verdicts.servers {
        verdict.silent = true;
    }
    drawn.server("nl-1").last_report_at = None;
    assert_eq!(shown(&drawn.scene()), ["aggregator aggregator hears_nobody critical"]);
}

#[test]
fn a_half_blind_witness_and_a_refused_plan_are_told() {
    let mut drawn = Drawn::new();
    let unseen = vec![drawn.ix("nl-1"), drawn.ix("nl-2")];
    drawn.server("ru-1").half_blind = Some(HalfBlind { unseen, judged: 4 });
    let refusal = Refusal { plan_version: 3, since_ms: SINCE.as_ms(), reason: "10.0.0.20 is private".to_owned() };
    drawn.snapshot.refusals = Arc::new([("de-1".to_owned(), refusal)].into());
    let scene = drawn.scene();
    assert_eq!(shown(&scene), ["half_blind ru-1 half_blind info", "plan_refused de-1 refused warning"]);
}

#[test]
fn what_is_not_seen_is_believed_once_everybody_had_the_time_to_report() {
    let mut drawn = Drawn::new();
    drawn.snapshot.evaluation_started_at = NOW.before(Duration::from_secs(240));
    assert!(!drawn.scene().is_believed());
    let mut drawn = Drawn::new();
    drawn.snapshot.evaluation_started_at = NOW.before(Duration::from_millis(240_001));
    assert!(drawn.scene().is_believed());
}

#[test]
fn edges_that_were_not_looked_at_are_not_believed() {
    let mut inventory = Drawn::new().inventory;
    inventory["edges"] = json!([{"id": "fra", "networks": ["198.51.100.200"], "proxy": "require"}]);
    let scene = Drawn::of(inventory).scene();
    assert!(!scene.is_believed());
    let looked = Picture { at: Some(NOW), ..Picture::clone(&scene.edges) };
    assert!(Scene { edges: Arc::new(looked), ..scene }.is_believed());
}
