//! Why a verdict is as it is, in core's sentences, each with the rules that it rests on.

use quorate_core::explain::{self, Sentence};
use quorate_core::fleet::{EntryIx, ServerIx};
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
    explain::server(fleet, policy, verdicts, ix, &when::date_and_time).into_iter().map(SentenceView::from).collect()
}

/// Why an entry point is as it is.
pub fn entry_point(snapshot: &Snapshot, ix: EntryIx) -> Vec<SentenceView> {
    let Snapshot { fleet, policy, verdicts, .. } = snapshot;
    explain::entry_point(fleet, policy, verdicts, ix, &when::date_and_time)
        .into_iter()
        .map(SentenceView::from)
        .collect()
}
