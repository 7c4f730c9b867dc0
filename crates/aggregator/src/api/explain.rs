//! Why a verdict is as it is, in core's sentences, each with the rules that it rests on.

use quorate_core::explain::{self, Sentence};
use quorate_core::fleet::{EntryIx, ServerIx};
use quorate_core::outcome::Outcome;
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

/// Why a server is as it is.
pub fn server(snapshot: &Snapshot, ix: ServerIx) -> Vec<SentenceView> {
    let Snapshot { fleet, policy, verdicts, .. } = snapshot;
    let said = explain::server(fleet, policy, verdicts, ix, &when::date_and_time);
    let own = fleet.server(ix).entry_points.iter().filter_map(|ix| failures(snapshot, *ix));
    said.into_iter().map(SentenceView::from).chain(self_check(snapshot, ix)).chain(own).collect()
}

/// Why an entry point is as it is.
pub fn entry_point(snapshot: &Snapshot, ix: EntryIx) -> Vec<SentenceView> {
    let Snapshot { fleet, policy, verdicts, .. } = snapshot;
    let said = explain::entry_point(fleet, policy, verdicts, ix, &when::date_and_time);
    said.into_iter().map(SentenceView::from).chain(failures(snapshot, ix)).collect()
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
    let text = format!("Its own last look at itself found failing: {}.", findings.join(", "));
    Some(SentenceView { text, rules: vec!["R6".to_owned()] })
}

/// How the knocks of those that accuse an entry point failed last: what tells a block from a certificate.
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
    let accusers = verdicts.entry_points.get(ix.at())?.accusers.iter();
    let told: Vec<String> = accusers.filter_map(|accuser| last_failure(accuser.witness)).collect();
    if told.is_empty() {
        return None;
    }
    let text = format!("How the last knocks on {id} failed: {}.", told.join(", "));
    Some(SentenceView { text, rules: vec!["R1".to_owned()] })
}
