//! R11 · What stands on a badge: the status in words, with numbers, and the reason that a pointer over it shows.
//!
//! Pure: a verdict and a moment in, text out. Every badge, table and message takes its words from here.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use quorate_core::fleet::{Country, EntryIx, ServerIx};
use quorate_core::time::Moment;
use quorate_core::verdict::{Scope, State, Status};

use crate::engine::Snapshot;

/// A badge's words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// What they say.
    pub status: Status,
    /// The badge's text, R11.
    pub text: String,
    /// More of it: who, since when, what to do. None where there is nothing to say.
    pub reason: Option<String>,
    /// Older than three intervals: it says what was, not what is.
    pub stale: bool,
}

impl Label {
    /// The text with the word that tells of its age.
    pub fn shown(&self) -> String {
        if self.stale { format!("{} (stale)", self.text) } else { self.text.clone() }
    }
}

/// Intervals after which a text is called stale: one lost round is everyday, three are none.
const STALE_INTERVALS: u32 = 3;

/// The badge of a server as of a snapshot, read at `now`.
pub fn label(snapshot: &Snapshot, server: ServerIx, now: Moment) -> Label {
    let status = snapshot.verdicts.servers[server.at()].status;
    Label {
        status,
        text: text(snapshot, server, status),
        reason: reason(snapshot, server, status),
        stale: is_stale(snapshot.at, snapshot.policy.interval, now),
    }
}

/// Whether what was found at `at` is too old to be shown as the state of things.
pub fn is_stale(at: Moment, interval: Duration, now: Moment) -> bool {
    now.since(at) > interval * STALE_INTERVALS
}

/// R11's text of one condition of a server.
pub fn text(snapshot: &Snapshot, server: ServerIx, condition: Status) -> String {
    match condition {
        Status::Disabled => "Disabled".to_owned(),
        Status::Down => "Server unavailable".to_owned(),
        Status::Unreachable => {
            let sight = Sighting::of(snapshot, server);
            format!("Unreachable from your servers ({} of {} cannot see it)", sight.blind.len(), sight.judges())
        }
        Status::Blocked => format!("Address blocked, as seen from {}", listed(&verifiers(snapshot, server))),
        Status::Degraded => format!("Partly unreachable: {}", listed(&affected(snapshot, server))),
        Status::NoData => "No data from the server".to_owned(),
        Status::Pending => "Waiting for the first report".to_owned(),
        Status::Contested => "Servers disagree".to_owned(),
        Status::Marked => match pair(snapshot, server) {
            Some((witness, more)) if more > 0 => {
                format!("Connection check fails: {} and {witness} (and {more} more)", snapshot.name(server))
            }
            Some((witness, _)) => format!("Connection check fails: {} and {witness}", snapshot.name(server)),
            None => "Connection check fails".to_owned(),
        },
        Status::Ok => "OK".to_owned(),
    }
}

fn reason(snapshot: &Snapshot, server: ServerIx, status: Status) -> Option<String> {
    let since = snapshot.since.get(server.at()).map(|since| format!("since {}", clock_time(*since)));
    let verdict = &snapshot.verdicts.servers[server.at()];
    let what = match status {
        Status::Disabled => Some("disabled by you: neither probed nor delivered".to_owned()),
        Status::Down => Some("it says so itself: a service or its own entry points do not work".to_owned()),
        Status::Unreachable => Some(Sighting::of(snapshot, server).told()),
        Status::Blocked if verdict.silent => Some("its address is blocked there, or it is off: it sends no data".to_owned()),
        Status::Blocked => Some("it says it is well: change its address".to_owned()),
        Status::Degraded => Some("the rest of its entry points can be used".to_owned()),
        Status::NoData => Some("the agent does not answer".to_owned()),
        Status::Pending => Some("enroll it, or start its agent".to_owned()),
        Status::Contested => Some("two groups of servers accuse each other: nothing is removed for it".to_owned()),
        Status::Marked => Some("a single pair is broken: nothing is removed for it".to_owned()),
        Status::Ok => half_blind(snapshot, server),
    };
    match (what, since) {
        (Some(what), Some(since)) if status != Status::Ok => Some(format!("{what}, {since}")),
        (what, _) => what,
    }
}

/// R10: said once, about the witness.
fn half_blind(snapshot: &Snapshot, server: ServerIx) -> Option<String> {
    let half_blind = snapshot.verdicts.servers[server.at()].half_blind.as_ref()?;
    Some(format!("as a witness it cannot see {} of {} servers", half_blind.unseen.len(), half_blind.judged))
}

/// Who cannot see a server, and who can.
struct Sighting<'a> {
    snapshot: &'a Snapshot,
    blind: BTreeSet<ServerIx>,
    sees: BTreeSet<ServerIx>,
    scopes: BTreeSet<Scope>,
}

impl<'a> Sighting<'a> {
    fn of(snapshot: &'a Snapshot, server: ServerIx) -> Self {
        let mut sight = Self { snapshot, blind: BTreeSet::new(), sees: BTreeSet::new(), scopes: BTreeSet::new() };
        for ix in &snapshot.fleet.server(server).entry_points {
            let verdict = &snapshot.verdicts.entry_points[ix.at()];
            sight.blind.extend(verdict.accusers.iter().map(|accuser| accuser.witness));
            sight.blind.extend(&verdict.held);
            sight.sees.extend(&verdict.vouchers);
            sight.scopes.extend(&verdict.unreachable);
        }
        sight.blind.retain(|witness| !sight.sees.contains(witness));
        sight
    }

    fn judges(&self) -> usize {
        self.blind.len() + self.sees.len()
    }

    /// "3 of 7 cannot see it (RU 3/3)".
    fn told(&self) -> String {
        let all = format!("{} of {} cannot see it", self.blind.len(), self.judges());
        let mut by_country: BTreeMap<Country, (usize, usize)> = BTreeMap::new();
        let country = |witness: &ServerIx| self.snapshot.fleet.server(*witness).country;
        for country in self.blind.iter().filter_map(country) {
            by_country.entry(country).or_default().0 += 1;
        }
        for country in self.sees.iter().filter_map(country) {
            by_country.entry(country).or_default().1 += 1;
        }
        let told: Vec<String> = by_country
            .into_iter()
            .filter(|(country, _)| self.scopes.contains(&Scope::Country(*country)))
            .map(|(country, (blind, sees))| format!("{country} {blind}/{}", blind + sees))
            .collect();
        if told.is_empty() { all } else { format!("{all} ({})", told.join(", ")) }
    }
}

fn verifiers(snapshot: &Snapshot, server: ServerIx) -> Vec<String> {
    let points = snapshot.fleet.server(server).entry_points.iter();
    let named: BTreeSet<ServerIx> =
        points.flat_map(|ix| snapshot.verdicts.entry_points[ix.at()].blocked_by.iter().copied()).collect();
    named.into_iter().map(|verifier| snapshot.name(verifier).to_owned()).collect()
}

fn affected(snapshot: &Snapshot, server: ServerIx) -> Vec<String> {
    let is_out = |ix: &&EntryIx| {
        let verdict = &snapshot.verdicts.entry_points[ix.at()];
        matches!(verdict.state(), State::Unreachable | State::Blocked)
    };
    let points = snapshot.fleet.server(server).entry_points.iter();
    points.filter(is_out).map(|ix| snapshot.fleet.entry_point(*ix).id.clone()).collect()
}

/// The first witness of a broken pair, and how many more there are.
fn pair(snapshot: &Snapshot, server: ServerIx) -> Option<(&str, usize)> {
    let points = snapshot.fleet.server(server).entry_points.iter();
    let witnesses: BTreeSet<ServerIx> = points
        .flat_map(|ix| snapshot.verdicts.entry_points[ix.at()].marks.iter().map(|mark| mark.witness))
        .collect();
    let first = witnesses.first()?;
    Some((snapshot.name(*first), witnesses.len() - 1))
}

/// Most names spelled out in a badge: the text has to fit beside a server's name.
const NAMES_MAX: usize = 3;

fn listed(names: &[String]) -> String {
    match names.len() {
        0 => "a verifier".to_owned(),
        count if count > NAMES_MAX => {
            format!("{} and {} more", names[..NAMES_MAX].join(", "), count - NAMES_MAX)
        }
        _ => names.join(", "),
    }
}

/// A moment as people read it, in UTC: the reader's zone is not known here.
pub fn clock_time(moment: Moment) -> String {
    let at = jiff::Timestamp::from_millisecond(moment.as_ms().cast_signed()).unwrap_or_default();
    at.strftime("%Y-%m-%d %H:%M UTC").to_string()
}
