#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use quorate_core::notify::{Gate, Severity, Topic};
use quorate_core::time::Moment;
use serde_json::json;

use super::{About, Matter, Rules, RulesEntry};

/// A Monday, 23:00 UTC.
const NIGHT: Moment = Moment::from_ms(1_796_079_600_000);
/// The next noon.
const NOON: Moment = Moment::from_ms(1_796_079_600_000 + 13 * 3_600_000);

fn rules(rules: serde_json::Value) -> Rules {
    let entry: RulesEntry = serde_json::from_value(json!({"rules": rules})).unwrap();
    entry.checked(&["ops".to_owned(), "night".to_owned()]).unwrap()
}

/// `nl-1` in NL, on route `eu`.
fn gate(rules: &Rules, channel: &str, severity: Severity, now: Moment) -> Gate {
    let name = |name: &str| vec![name.into()];
    let about = About { servers: name("nl-1"), countries: name("NL"), routes: name("eu") };
    rules.gate(channel, &Matter { topic: Topic::ServerStatus, severity, about: &about }, now)
}

#[test]
fn without_rules_everything_goes_everywhere() {
    assert_eq!(gate(&rules(json!([])), "ops", Severity::Info, NOON), Gate::Open);
}

#[test]
fn a_rule_without_lists_leaves_nothing_out() {
    assert_eq!(gate(&rules(json!([{}])), "ops", Severity::Info, NOON), Gate::Open);
}

#[test]
fn a_rule_names_channels_kinds_and_severity() {
    let of = |rule, channel| gate(&rules(json!([rule])), channel, Severity::Warning, NOON);
    assert_eq!(of(json!({"channels": ["ops"]}), "ops"), Gate::Open);
    assert_eq!(of(json!({"channels": ["ops"]}), "night"), Gate::Unwanted);
    assert_eq!(of(json!({"events": ["server_status"]}), "ops"), Gate::Open);
    assert_eq!(of(json!({"events": ["route", "edge"]}), "ops"), Gate::Unwanted);
    assert_eq!(of(json!({"at_least": "warning"}), "ops"), Gate::Open);
    assert_eq!(of(json!({"at_least": "critical"}), "ops"), Gate::Unwanted);
}

#[test]
fn a_rule_is_about_any_of_its_servers_countries_and_routes() {
    let of = |rule| gate(&rules(json!([rule])), "ops", Severity::Warning, NOON);
    assert_eq!(of(json!({"servers": ["nl-1"]})), Gate::Open);
    assert_eq!(of(json!({"servers": ["nl-2"]})), Gate::Unwanted);
    assert_eq!(of(json!({"servers": ["nl-2"], "countries": ["NL"]})), Gate::Open);
    assert_eq!(of(json!({"servers": ["nl-2"], "routes": ["eu"]})), Gate::Open);
    assert_eq!(of(json!({"countries": ["RU"], "routes": ["us"]})), Gate::Unwanted);
}

#[test]
fn quiet_hours_of_one_rule_do_not_silence_another() {
    let quiet = json!({"from": "22:00", "to": "07:00", "zone": "UTC"});
    let one = rules(json!([{"channels": ["ops"], "quiet": quiet}]));
    assert_eq!(gate(&one, "ops", Severity::Warning, NIGHT), Gate::Held);
    assert_eq!(gate(&one, "ops", Severity::Critical, NIGHT), Gate::Open);
    assert_eq!(gate(&one, "ops", Severity::Warning, NOON), Gate::Open);
    assert_eq!(gate(&one, "night", Severity::Warning, NIGHT), Gate::Unwanted);
    let two = rules(json!([{"quiet": quiet}, {"servers": ["nl-1"]}]));
    assert_eq!(gate(&two, "ops", Severity::Warning, NIGHT), Gate::Open);
}

#[test]
fn what_is_left_out_has_its_default() {
    let entry: RulesEntry = serde_json::from_value(json!({})).unwrap();
    assert_eq!(entry, RulesEntry::default());
    assert_eq!((entry.grouping_s, entry.rest_s), (20, 60));
}

#[test]
fn rules_that_cannot_be_followed_are_refused_by_number_and_field() {
    let told = |entry: serde_json::Value| {
        let entry: RulesEntry = serde_json::from_value(entry).unwrap();
        entry.checked(&["ops".to_owned()]).unwrap_err().to_string()
    };
    assert!(told(json!({"grouping_s": 601})).starts_with("rules: grouping_s: use 0 to 600"));
    assert!(told(json!({"rest_s": 3601})).starts_with("rules: rest_s: use 0 to 3600"));
    assert!(told(json!({"rules": [{}, {"events": ["servers"]}]})).starts_with("rule 2: events: 'servers' is none"));
    assert!(told(json!({"rules": [{"at_least": "bad"}]})).starts_with("rule 1: at_least: 'bad' is none"));
    let unknown = told(json!({"rules": [{"channels": ["opps"]}]}));
    assert_eq!(unknown, "rule 1: channels: no channel is called 'opps': add it first");
}
