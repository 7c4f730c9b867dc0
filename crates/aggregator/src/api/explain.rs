//! Why a verdict is as it is, in core's sentences, each with the rules that it rests on.

use quorate_core::explain::{self, Explanation, Sentence};
use quorate_core::fleet::{EntryIx, ServerIx};
use quorate_core::outcome::Outcome;
use quorate_core::time::Moment;
use quorate_proto::v1;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::engine::Snapshot;
use crate::when;

/// One sentence, or a few that belong together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SentenceView {
    /// What is to be said.
    pub text: String,
    /// The rules it rests on, like `R7`.
    pub rules: Vec<String>,
}

impl From<Sentence> for SentenceView {
    fn from(sentence: Sentence) -> Self {
        Self { text: sentence.text, rules: sentence.rules.iter().map(|rule| (*rule).to_owned()).collect() }
    }
}

/// Why a server is as it is, and at the end what to do.
pub fn server(snapshot: &Snapshot, ix: ServerIx) -> Vec<SentenceView> {
    let Snapshot { fleet, policy, verdicts, .. } = snapshot;
    let said = explain::server(fleet, policy, verdicts, ix, &when::date_and_time);
    let own = fleet.server(ix).entry_points.iter().filter_map(|ix| failures(snapshot, *ix));
    let found = self_check(snapshot, ix).into_iter().chain(own).chain(refusal(snapshot, ix));
    together(said, found)
}

/// Why an entry point is as it is, and at the end what to do.
pub fn entry_point(snapshot: &Snapshot, ix: EntryIx) -> Vec<SentenceView> {
    let Snapshot { fleet, policy, verdicts, .. } = snapshot;
    let said = explain::entry_point(fleet, policy, verdicts, ix, &when::date_and_time);
    together(said, failures(snapshot, ix))
}

fn together(said: Explanation, found: impl IntoIterator<Item = SentenceView>) -> Vec<SentenceView> {
    let (findings, advice) = (said.findings.into_iter(), said.advice.into_iter());
    findings.map(SentenceView::from).chain(found).chain(advice.map(SentenceView::from)).collect()
}

/// What failed in the server's last look at itself.
fn self_check(snapshot: &Snapshot, ix: ServerIx) -> Option<SentenceView> {
    let report = snapshot.last_reports.get(ix.at())?.as_ref()?;
    let failed = v1::Finding::Failed as i32;
    let services = report.self_check.services.iter().filter(|service| service.finding == failed);
    let own = report.self_check.own.iter().filter(|own| own.finding == failed);
    let findings: Vec<String> = services
        .map(|service| (&service.name, &service.detail))
        .chain(own.map(|own| (&own.entry_point, &own.detail)))
        .map(|(name, detail)| if detail.is_empty() { name.clone() } else { format!("{name} ({detail})") })
        .collect();
    if findings.is_empty() {
        return None;
    }
    let text = format!("Its own last look at itself found failing: {}.", listed(&findings));
    Some(SentenceView { text, rules: vec!["R6".to_owned()] })
}

/// How the last knocks on an entry point failed, also those that do not count yet: what tells a block from a certificate.
fn failures(snapshot: &Snapshot, ix: EntryIx) -> Option<SentenceView> {
    let Snapshot { fleet, verdicts, last_reports, .. } = snapshot;
    let id = &fleet.entry_point(ix).id;
    let last_failure = |witness: ServerIx| {
        let report = last_reports.get(witness.at())?.as_ref()?;
        let (_, outcome) = report.outcomes.iter().find(|(target, _)| target == id)?;
        match outcome {
            Outcome::Failed(failure) => {
                Some(format!("{} by {} in {}", fleet.server(witness).id, failure.kind, failure.operation))
            }
            Outcome::Reached { .. } | Outcome::Inconclusive(_) => None,
        }
    };
    // What the silent found last is old.
    let speaking = fleet.server_ixs().filter(|ix| verdicts.servers.get(ix.at()).is_some_and(|verdict| !verdict.silent));
    let told: Vec<String> = speaking.filter_map(last_failure).collect();
    if told.is_empty() {
        return None;
    }
    let text = format!("How the last knocks on {id} failed: {}.", listed(&told));
    Some(SentenceView { text, rules: vec!["R1".to_owned()] })
}

/// That its agent does not take up the plan, and what to do about it.
fn refusal(snapshot: &Snapshot, ix: ServerIx) -> Option<SentenceView> {
    let refusal = snapshot.refusal(ix)?;
    let text = format!(
        "Its agent refuses the plan since {}: {}. It goes on with the plan before, if it has one, so what is new in this \
         one is not probed by it. What to do: change what the plan asks for, or the limits in the agent's own file.",
        when::date_and_time(Moment::from_ms(refusal.since_ms)),
        refusal.reason
    );
    Some(SentenceView { text, rules: Vec::new() })
}

/// Longer lists are read by nobody.
const LISTED_MAX: usize = 12;

fn listed(items: &[String]) -> String {
    match items.split_at_checked(LISTED_MAX) {
        Some((shown, rest)) if !rest.is_empty() => format!("{} and {} more", shown.join(", "), rest.len()),
        _ => items.join(", "),
    }
}
