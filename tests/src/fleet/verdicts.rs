//! What the aggregator of a fleet says, asked through its API, and waiting until it says so.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::{AGGREGATOR, API, Fleet, ROUND};
use crate::clock::{always, wait_for};
use crate::http;

/// Long enough for a series of failures, its span and an evaluation, on a machine that is busy.
const VERDICT_AT_MOST: Duration = Duration::from_secs(60);

impl Fleet {
    /// Asks the API.
    pub fn get(&self, path: &str) -> Result<Value, String> {
        let answer = self.lab.namespace(AGGREGATOR).within(|| http::get(API, path, Some(&self.token)))?;
        let body = String::from_utf8_lossy(&answer.body);
        if answer.status != 200 {
            return Err(format!("GET {path}: {} {body}", answer.status));
        }
        serde_json::from_str(&body).map_err(|error| format!("GET {path}: {error}: {body}"))
    }

    /// A number of the aggregator's metrics, by name and labels.
    pub fn metric(&self, name: &str) -> u64 {
        let answer = self.lab.namespace(AGGREGATOR).within(|| http::get(API, "/metrics", Some(&self.token)));
        let page = String::from_utf8(answer.expect("the API answers").body).expect("metrics are text");
        let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let number = line.unwrap_or_else(|| panic!("no metric {name} in\n{page}"));
        number.trim().parse().unwrap_or_else(|_| panic!("{name} is {number}"))
    }

    /// One server with all that was found.
    pub fn server(&self, id: &str) -> Result<Value, String> {
        self.get(&format!("/api/v1/servers/{id}"))
    }

    /// One entry point with its evidence.
    pub fn entry_point(&self, id: &str) -> Result<Value, String> {
        let (server, _) = id.split_once('/').ok_or("an entry point's id is server/name")?;
        find(&self.server(server)?["evidence"], "id", id)
    }

    /// The status of every server.
    pub fn statuses(&self) -> Result<BTreeMap<String, String>, String> {
        let list = self.get("/api/v1/servers?limit=1000")?;
        let items = list["items"].as_array().ok_or("the list of servers has no items")?;
        Ok(items.iter().map(|server| (word(&server["id"]), word(&server["status"]))).collect())
    }

    /// Waits until these servers have these statuses, and all others are `ok`.
    pub fn wait_statuses(&self, expected: &[(&str, &str)]) {
        let named: Vec<String> = expected.iter().map(|(id, status)| format!("{id} {status}")).collect();
        let what =
            if named.is_empty() { "all are ok".to_owned() } else { format!("{}, the others ok", named.join(", ")) };
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

    /// Holds for `rounds` that no server leaves the status that it has at the call, but those named.
    pub fn statuses_stand(&self, rounds: u32, but: &[&str]) {
        let before = self.statuses().expect("the API answers");
        always("no status changes", ROUND * rounds, || unchanged(&before, &self.statuses()?, but));
    }

    /// Holds for `rounds` that whatever is answered is what was answered before; no answer is none.
    pub fn no_answer_differs_from(&self, before: &BTreeMap<String, String>, rounds: u32) {
        always("no answer differs", ROUND * rounds, || {
            self.statuses().map_or(Ok(()), |now| unchanged(before, &now, &[]))
        });
    }

    /// Waits until an entry point is in a state.
    pub fn wait_state(&self, entry_point: &str, state: &str) {
        self.wait_evidence(entry_point, &[("state", state.into())]);
    }

    /// Waits until an entry point has all this evidence.
    pub fn wait_evidence(&self, entry_point: &str, expected: &[(&str, Value)]) {
        let shown: Vec<String> = expected.iter().map(|(field, value)| format!("{field} {value}")).collect();
        wait_for(&format!("{entry_point}: {}", shown.join(", ")), VERDICT_AT_MOST, || {
            let found = self.entry_point(entry_point)?;
            let same = expected.iter().all(|(field, value)| found[*field] == *value);
            if same { Ok(()) } else { Err(found.to_string()) }
        });
    }

    /// Waits until everybody's last round is in, and all of it was reached.
    pub fn wait_all_seen(&self) {
        let others = self.members.len() - 1;
        wait_for("everybody sees everything", VERDICT_AT_MOST, || {
            for member in &self.members {
                let server = self.server(member.id)?;
                for entry_point in server["evidence"].as_array().ok_or("a server without evidence")? {
                    let vouchers = entry_point["vouchers"].as_array().map_or(0, Vec::len);
                    if vouchers < others {
                        return Err(format!("{vouchers} of {others} see {}", entry_point["id"]));
                    }
                }
            }
            Ok(())
        });
    }

    /// What a route delivers and what it withholds, by ids.
    pub fn feed(&self, route: &str) -> (Vec<String>, Vec<String>) {
        let feed = self.get(&format!("/api/v1/routes/{route}/feed")).expect("the API answers");
        let ids = |list: &Value| {
            let items = list.as_array().expect("a feed has both lists");
            items.iter().map(|item| word(&item["entry_point"])).collect()
        };
        (ids(&feed["deliver"]), ids(&feed["withheld"]))
    }

    /// Waits until a witness has a sustained accusation of an entry point, whatever it counts for.
    pub fn wait_sustained(&self, witness: &str, entry_point: &str) {
        let server = entry_point.split('/').next().unwrap_or_default().to_owned();
        wait_for(&format!("{witness} has failed to see {entry_point} for long enough"), VERDICT_AT_MOST, || {
            let votes = self.get(&format!("/api/v1/servers/{server}/votes"))?;
            let votes = votes["votes"].as_array().ok_or("no votes")?;
            let of = votes.iter().find(|vote| vote["entry_point"] == entry_point && vote["witness"] == witness);
            let vote = of.ok_or("no such vote")?;
            if vote["word"] == "sustained" { Ok(()) } else { Err(vote.to_string()) }
        });
    }

    /// Waits until the last round of a witness is discredited on exactly these lanes.
    pub fn wait_discredited(&self, witness: &str, lanes: &[&str]) {
        self.wait_field(witness, "discredited", &lanes.into());
    }

    /// Waits until a server is silent.
    pub fn wait_silent(&self, server: &str) {
        self.wait_field(server, "silent", &true.into());
    }

    /// Waits until a witness is half-blind, or is not.
    pub fn wait_half_blind(&self, witness: &str, half_blind: bool) {
        self.wait_field(witness, "half_blind", &half_blind.into());
    }

    fn wait_field(&self, server: &str, field: &str, value: &Value) {
        wait_for(&format!("{server}: {field} is {value}"), VERDICT_AT_MOST, || {
            let found = self.server(server)?;
            if found[field] == *value { Ok(()) } else { Err(found[field].to_string()) }
        });
    }

    /// Waits until exactly these country cuts are told: country, lane and targets.
    pub fn wait_cuts(&self, expected: &[(&str, &str, &[&str])]) {
        let expected: Vec<Value> = expected
            .iter()
            .map(|(country, lane, targets)| json!({ "country": country, "lane": lane, "targets": targets }))
            .collect();
        let shown =
            if expected.is_empty() { "no country is cut".to_owned() } else { format!("cuts: {}", json!(expected)) };
        wait_for(&shown, VERDICT_AT_MOST, || {
            let fleet = self.get("/api/v1/fleet")?;
            let cuts = fleet["country_cuts"].as_array().ok_or("the fleet has no country_cuts")?;
            let told =
                |cut: &Value| json!({ "country": cut["country"], "lane": cut["lane"], "targets": cut["targets"] });
            let told: Vec<Value> = cuts.iter().map(told).collect();
            if told == expected { Ok(()) } else { Err(json!(told).to_string()) }
        });
    }

    /// Waits until the last knock of a witness on an entry point ended so: all given fields are equal.
    pub fn wait_knock(&self, witness: &str, entry_point: &str, expected: &[(&str, &str)]) -> Value {
        let words: Vec<&str> = expected.iter().map(|(_, value)| *value).collect();
        wait_for(&format!("{witness} knocks on {entry_point}: {}", words.join(" ")), VERDICT_AT_MOST, || {
            let knock = find(&self.server(witness)?["last_report"]["outcomes"], "entry_point", entry_point)?;
            let same = expected.iter().all(|(field, value)| knock[*field] == *value);
            if same { Ok(knock) } else { Err(knock.to_string()) }
        })
    }

    /// Waits until every server has reported on so many rounds that ended after the call.
    pub fn wait_reports_of_all(&self, rounds: u32) {
        for _ in 0..rounds {
            let before = self.observed_at().expect("the API answers");
            wait_for("every server has reported again", VERDICT_AT_MOST, || {
                let now = self.observed_at()?;
                let waiting: Vec<&String> =
                    now.iter().filter(|(id, at)| before.get(*id) >= Some(at)).map(|(id, _)| id).collect();
                if waiting.is_empty() { Ok(()) } else { Err(format!("waiting for {waiting:?}")) }
            });
        }
    }

    /// Waits until these servers have a later report than at the call.
    pub fn wait_reports_of(&self, ids: &[&str]) {
        let before = self.observed_at().expect("the API answers");
        wait_for(&format!("reports of {}", ids.join(", ")), VERDICT_AT_MOST, || {
            let now = self.observed_at()?;
            let waiting: Vec<&&str> = ids.iter().filter(|id| before.get(**id) >= now.get(**id)).collect();
            if waiting.is_empty() { Ok(()) } else { Err(format!("waiting for {waiting:?}")) }
        });
    }

    fn observed_at(&self) -> Result<BTreeMap<String, u64>, String> {
        let list = self.get("/api/v1/servers?limit=1000")?;
        let items = list["items"].as_array().ok_or("the list of servers has no items")?;
        let at = |server: &Value| server["last_report_at_ms"].as_u64().unwrap_or_default();
        Ok(items.iter().map(|server| (word(&server["id"]), at(server))).collect())
    }

    /// Waits until a server's wall clock is seen to be off by so many hours, give or take a minute.
    pub fn wait_clock_offset(&self, server: &str, hours: i64) {
        wait_for(&format!("the clock of {server} is off by {hours} h"), VERDICT_AT_MOST, || {
            let found = self.server(server)?;
            let offset_ms = found["last_report"]["metrics"]["clock_offset_ms"].as_i64().ok_or("no offset reported")?;
            let close = (offset_ms - hours * 3_600_000).abs() < 60_000;
            if close { Ok(()) } else { Err(format!("{offset_ms} ms")) }
        });
    }

    /// Fails if the history of the fleet names a server outside `ids` whose status has changed since all were `ok`.
    pub fn assert_only_changed(&self, ids: &[&str]) {
        let events = self.events().expect("the API answers");
        let is_new = |event: &&Value| event["id"].as_u64() > Some(self.events_before);
        let is_wrong =
            |event: &&Value| event["kind"] == "server_status" && !ids.contains(&word(&event["subject"]).as_str());
        let wrong: Vec<String> = events.iter().filter(is_new).filter(is_wrong).map(Value::to_string).collect();
        assert!(wrong.is_empty(), "statuses changed that should not have: {}", wrong.join("\n"));
    }

    /// The events behind one of them, oldest first; at most a thousand.
    pub fn events_after(&self, id: u64) -> Result<Vec<Value>, String> {
        let list = self.get(&format!("/api/v1/events?limit=1000&after={id}"))?;
        Ok(list["items"].as_array().ok_or("the list of events has no items")?.clone())
    }

    /// The number of the last event.
    pub fn last_event(&self) -> u64 {
        let events = self.events().expect("the API answers");
        events.iter().filter_map(|event| event["id"].as_u64()).max().unwrap_or_default()
    }

    pub(super) fn events(&self) -> Result<Vec<Value>, String> {
        let list = self.get("/api/v1/events?limit=1000")?;
        Ok(list["items"].as_array().ok_or("the list of events has no items")?.clone())
    }
}

fn unchanged(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>, but: &[&str]) -> Result<(), String> {
    let changed = now.iter().filter(|(id, status)| !but.contains(&id.as_str()) && before.get(*id) != Some(*status));
    let changed: Vec<String> = changed.map(|(id, status)| format!("{id} is {status}")).collect();
    if changed.is_empty() { Ok(()) } else { Err(changed.join(", ")) }
}

fn find(list: &Value, field: &str, value: &str) -> Result<Value, String> {
    let items = list.as_array().ok_or_else(|| format!("nothing known of {value} yet"))?;
    items.iter().find(|item| item[field] == value).cloned().ok_or_else(|| format!("{value} is not in {list}"))
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}
