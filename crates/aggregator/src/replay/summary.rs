//! `--summary`: tables for people instead of JSON lines.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use quorate_core::fleet::Fleet;
use quorate_core::time::Moment;
use quorate_core::verdict::{Status, Verdicts};

use super::firing::{self, Firing, Folds};

/// What was seen so far, by the ids of servers: they outlive the fleets of a trace.
#[derive(Debug, Default)]
pub(super) struct Summary {
    servers: BTreeMap<String, Stay>,
    facts: BTreeSet<(Firing, String)>,
    fired: BTreeMap<Firing, u64>,
    status_changes: u64,
    began_at: Option<Moment>,
    at: Moment,
}

/// How long a server was in each status.
#[derive(Debug, Default)]
struct Stay {
    /// What the last evaluation said; none if it knew no such server.
    status: Option<Status>,
    spans: BTreeMap<Status, Duration>,
    changes: u64,
}

impl Summary {
    /// Takes note of an evaluation. What it says lasts until the next one.
    pub fn note(&mut self, fleet: &Fleet, verdicts: &Verdicts) {
        self.end(verdicts.at);
        self.began_at.get_or_insert(verdicts.at);
        for (id, stay) in &mut self.servers {
            if fleet.find_server(id).is_none() {
                stay.status = None;
            }
        }
        for (server, verdict) in fleet.servers().iter().zip(&verdicts.servers) {
            let stay = self.servers.entry(server.id.clone()).or_default();
            let changed = stay.status.is_some_and(|status| status != verdict.status);
            stay.changes += u64::from(changed);
            self.status_changes += u64::from(changed);
            stay.status = Some(verdict.status);
        }
        let facts = firing::facts(fleet, verdicts);
        for (firing, _) in facts.difference(&self.facts) {
            *self.fired.entry(*firing).or_default() += 1;
        }
        self.facts = facts;
    }

    /// Lets what the last evaluation said last until `at`.
    pub fn end(&mut self, at: Moment) {
        if self.began_at.is_some() {
            let span = at.since(self.at);
            for stay in self.servers.values_mut() {
                if let Some(status) = stay.status {
                    *stay.spans.entry(status).or_default() += span;
                }
            }
        }
        self.at = at;
    }

    /// Both tables.
    pub fn tables(&self, folds: Folds) -> String {
        let span = self.began_at.map_or(Duration::ZERO, |began| self.at.since(began));
        format!(
            "How long each server was in each status, in {}:\n{}\n\nHow often each rule newly changed something:\n{}\n",
            clock(span),
            text(&self.stays()),
            text(&self.firings(folds))
        )
    }

    fn stays(&self) -> Table {
        let seen: BTreeSet<Status> = self.servers.values().flat_map(|stay| stay.spans.keys().copied()).collect();
        let mut table = plain();
        let head = seen.iter().rev().map(|status| status.as_str());
        table.set_header(["server"].into_iter().chain(head).chain(["changes"]));
        for (id, stay) in &self.servers {
            let spans =
                seen.iter().rev().map(|status| stay.spans.get(status).map_or_else(String::new, |span| clock(*span)));
            table.add_row([id.clone()].into_iter().chain(spans).chain([stay.changes.to_string()]));
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }

    fn firings(&self, folds: Folds) -> Table {
        let mut rows = vec![
            ("R1", "outcomes that were inconclusive, and no evidence", folds.inconclusive),
            ("R2", "reports ignored as repeated or older", folds.repeated),
            ("R3", "rounds discredited on a lane", folds.discredited),
            ("R4", "series of failures ended by a success", folds.series_ended),
        ];
        let fired = |firing: Firing| {
            let (rule, what) = firing.words();
            (rule, what, self.fired.get(&firing).copied().unwrap_or_default())
        };
        rows.extend(Firing::ALL.into_iter().map(fired));
        let statuses = rows.iter().position(|(rule, ..)| *rule == "R12").unwrap_or(rows.len());
        rows.insert(statuses, ("R11", "servers whose status changed", self.status_changes));
        let mut table = plain();
        table.set_header(["rule", "what", "times"]);
        for (rule, what, times) in rows {
            table.add_row([rule, what, &times.to_string()]);
        }
        if let Some(times) = table.column_mut(2) {
            times.set_cell_alignment(CellAlignment::Right);
        }
        table
    }
}

fn plain() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table
}

fn text(table: &Table) -> String {
    table.lines().map(|line| line.trim_end().to_string()).collect::<Vec<_>>().join("\n")
}

/// "1:02:03", "2:03", "0:03".
fn clock(span: Duration) -> String {
    let seconds = span.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}
