//! The scene: everything that is not as it should be at one moment, each with a word and how bad it is.
//!
//! Critical is that users get what does not work, or that nobody watches: a route at its last resort, an aggregator that
//! hears no agent. A warning is what a person has to mend while users are served by what is left. What takes nothing out of
//! a route is for information, and so is anything about a server that its operator has drained.
//!
//! Pure: a snapshot, the edges' picture and certificates in, alarms out. What is said of them is put into words by
//! [`super::words`] when it is told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use quorate_core::balance;
use quorate_core::edge_watch::{self as edges, Alert, Trouble};
use quorate_core::fleet::{EntryIx, Intent, RouteIx, ServerIx};
use quorate_core::notify::{Key, Severity, Standing, Topic};
use quorate_core::renewal::Stage;
use quorate_core::time::Moment;
use quorate_core::verdict::Status;

use super::rules::About;
use crate::edge_watch;
use crate::engine::Snapshot;
use crate::gateway::Pin;

/// What the aggregator is called where it is a subject.
pub const AGGREGATOR: &str = "aggregator";

/// Between the two of a pair.
const PAIR: &str = " and ";

/// Everything that alarms are read off.
#[derive(Debug, Clone)]
pub struct Scene {
    /// What was found.
    pub snapshot: Arc<Snapshot>,
    /// What is known of the edges.
    pub edges: Arc<edge_watch::Picture>,
    /// Certificates that their agents should have renewed, and how late they are.
    pub late: Vec<(Pin, Stage)>,
    /// This moment.
    pub now: Moment,
}

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alarm {
    /// What, and how bad.
    pub standing: Standing,
    /// Since when, where that is known.
    pub since: Option<Moment>,
    /// Whom it is about.
    pub about: About,
}

/// Two servers of which one does not reach the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrokenPair {
    /// The one that is not reached.
    pub target: ServerIx,
    /// The one that does not reach it.
    pub witness: ServerIx,
    /// Whether it is the same the other way round.
    pub mutual: bool,
}

impl Scene {
    /// Whether there is anything to look at: before the first evaluation there is not.
    pub fn is_there(&self) -> bool {
        self.snapshot.verdicts.servers.len() == self.snapshot.fleet.servers().len()
    }

    /// Whether what is not seen is truly not so: everybody had the time to report, and the edges were looked at.
    pub fn is_believed(&self) -> bool {
        let Snapshot { policy, evaluation_started_at, inventory, .. } = &*self.snapshot;
        let listened = self.now.since(*evaluation_started_at);
        listened > policy.stale_after + policy.interval && (inventory.edges.is_empty() || self.edges.at.is_some())
    }

    /// Everything that stands, in no order.
    pub fn alarms(&self) -> Vec<Alarm> {
        let mut alarms = Vec::new();
        alarms.extend(self.hears_nobody());
        alarms.extend(self.snapshot.fleet.route_ixs().filter_map(|ix| self.route(ix)));
        alarms.extend(self.cuts());
        alarms.extend(self.snapshot.fleet.server_ixs().filter_map(|ix| self.status(ix)));
        alarms.extend(self.pairs().into_iter().map(|(key, pair)| self.pair(key, pair)));
        alarms.extend(self.snapshot.fleet.server_ixs().filter_map(|ix| self.half_blind(ix)));
        alarms.extend(self.edges.watch.alerts().iter().map(of_edge));
        alarms.extend(self.snapshot.fleet.server_ixs().filter_map(|ix| self.plan_refused(ix)));
        alarms.extend(self.late.iter().filter_map(|(pin, stage)| self.certificate(pin, *stage)));
        alarms
    }

    /// All agents that were ever heard are silent: more likely the aggregator is deaf than they are all dead. Of one
    /// agent its silence is all that can be said.
    fn hears_nobody(&self) -> Option<Alarm> {
        let Snapshot { fleet, verdicts, .. } = &*self.snapshot;
        let heard: Vec<ServerIx> = fleet
            .server_ixs()
            .filter(|ix| fleet.server(*ix).intent != Intent::Disabled)
            .filter(|ix| verdicts.servers[ix.at()].last_report_at.is_some())
            .collect();
        let deaf = heard.len() > 1 && heard.iter().all(|ix| verdicts.servers[ix.at()].silent);
        deaf.then(|| Alarm {
            standing: standing(Topic::Aggregator, AGGREGATOR, "hears_nobody", Severity::Critical),
            since: heard.iter().filter_map(|ix| verdicts.servers[ix.at()].last_report_at).max(),
            about: About::default(),
        })
    }

    fn route(&self, ix: RouteIx) -> Option<Alarm> {
        let Snapshot { fleet, verdicts, .. } = &*self.snapshot;
        let slate = balance::slate(fleet, verdicts, ix, None);
        let best = slate.deliver.iter().map(|offer| offer.tier).min();
        let (word, severity) = match best {
            None => ("empty", Severity::Critical),
            // Drained servers that work are a last resort that serves.
            Some(..=1) if slate.last_resort => ("last_resort", Severity::Warning),
            Some(_) if slate.last_resort => ("last_resort", Severity::Critical),
            Some(_) => return None,
        };
        let id: Arc<str> = fleet.route(ix).id.as_str().into();
        let owners: BTreeSet<ServerIx> = fleet.route(ix).entry_points.iter().map(|ix| self.owner(*ix)).collect();
        Some(Alarm {
            standing: standing(Topic::Route, &id, word, severity),
            since: None,
            about: About { countries: self.countries(owners), routes: vec![id], ..About::default() },
        })
    }

    fn cuts(&self) -> Vec<Alarm> {
        let countries: BTreeSet<String> =
            self.snapshot.verdicts.cuts.iter().map(|cut| cut.country.to_string()).collect();
        let alarm = |country: String| Alarm {
            standing: standing(Topic::CountryCut, &country, "cut", Severity::Warning),
            since: None,
            about: About { countries: vec![country.into()], ..About::default() },
        };
        countries.into_iter().map(alarm).collect()
    }

    fn status(&self, ix: ServerIx) -> Option<Alarm> {
        let verdict = &self.snapshot.verdicts.servers[ix.at()];
        match verdict.status {
            Status::Down
            | Status::Unreachable
            | Status::Blocked
            | Status::Degraded
            | Status::NoData
            | Status::Contested => {}
            // Told as pairs.
            Status::Marked => return None,
            Status::Disabled | Status::Pending | Status::Ok => return None,
        }
        // A server whose agent never came was not lost.
        if verdict.status == Status::NoData && verdict.last_report_at.is_none() {
            return None;
        }
        let severity = self.unless_drained(ix, Severity::Warning);
        let word = verdict.status.as_str();
        let since = self.snapshot.since.get(ix.at()).copied();
        Some(self.of_servers([ix], standing(Topic::ServerStatus, self.snapshot.name(ix), word, severity), since))
    }

    /// The pairs behind the marks of servers of which nothing worse is said.
    pub fn pairs(&self) -> BTreeMap<Key, BrokenPair> {
        let Snapshot { fleet, verdicts, .. } = &*self.snapshot;
        let mut pairs = BTreeMap::new();
        let marked = fleet.server_ixs().filter(|ix| verdicts.servers[ix.at()].status == Status::Marked);
        for target in marked {
            let own = fleet.server(target).entry_points.iter();
            for mark in own.flat_map(|ix| verdicts.entry_points[ix.at()].marks.iter()) {
                let (one, other) = (mark.witness.min(target), mark.witness.max(target));
                let subject = format!("{}{PAIR}{}", fleet.server(one).id, fleet.server(other).id);
                let key = Key { topic: Topic::Pair, subject: subject.into() };
                let pair = BrokenPair { target, witness: mark.witness, mutual: mark.mutual };
                let known = pairs.entry(key).or_insert(pair);
                known.mutual |= mark.mutual;
            }
        }
        pairs
    }

    fn pair(&self, key: Key, pair: BrokenPair) -> Alarm {
        let since = self.snapshot.since.get(pair.target.at()).copied();
        let standing = Standing { key, word: "broken".into(), severity: Severity::Info };
        self.of_servers([pair.target, pair.witness], standing, since)
    }

    fn half_blind(&self, ix: ServerIx) -> Option<Alarm> {
        self.snapshot.verdicts.servers[ix.at()].half_blind.as_ref()?;
        let standing = standing(Topic::HalfBlind, self.snapshot.name(ix), "half_blind", Severity::Info);
        Some(self.of_servers([ix], standing, None))
    }

    fn plan_refused(&self, ix: ServerIx) -> Option<Alarm> {
        let since = Moment::from_ms(self.snapshot.refusal(ix)?.since_ms);
        let severity = self.unless_drained(ix, Severity::Warning);
        Some(self.of_servers(
            [ix],
            standing(Topic::PlanRefused, self.snapshot.name(ix), "refused", severity),
            Some(since),
        ))
    }

    fn certificate(&self, pin: &Pin, stage: Stage) -> Option<Alarm> {
        let ix = self.snapshot.fleet.find_server(&pin.server)?;
        if self.snapshot.fleet.server(ix).intent == Intent::Disabled {
            return None;
        }
        let severity = self.unless_drained(ix, Severity::Warning);
        Some(self.of_servers([ix], standing(Topic::Certificate, &pin.server, stage.as_str(), severity), None))
    }

    fn unless_drained(&self, ix: ServerIx, severity: Severity) -> Severity {
        match self.snapshot.fleet.server(ix).intent {
            Intent::Drained => Severity::Info,
            Intent::Active | Intent::Disabled => severity,
        }
    }

    fn owner(&self, ix: EntryIx) -> ServerIx {
        self.snapshot.fleet.entry_point(ix).server
    }

    fn of_servers<const N: usize>(&self, servers: [ServerIx; N], standing: Standing, since: Option<Moment>) -> Alarm {
        let names = servers.iter().map(|ix| self.snapshot.name(*ix).into()).collect();
        let about = About { servers: names, countries: self.countries(servers), routes: self.routes(&servers) };
        Alarm { standing, since, about }
    }

    /// Whom something is about that stands no longer, or never did, as far as its key tells.
    pub fn about(&self, key: &Key) -> About {
        let subject = || vec![key.subject.clone()];
        let servers: Vec<Arc<str>> = match key.topic {
            Topic::Route => return About { routes: subject(), ..About::default() },
            Topic::CountryCut => return About { countries: subject(), ..About::default() },
            Topic::Aggregator | Topic::Edge => return About::default(),
            Topic::ServerStatus | Topic::HalfBlind | Topic::PlanRefused | Topic::Certificate | Topic::Session => {
                subject()
            }
            Topic::Pair => self.both(&key.subject),
        };
        let known: Vec<ServerIx> = servers.iter().filter_map(|id| self.snapshot.fleet.find_server(id)).collect();
        About { countries: self.countries(known.iter().copied()), routes: self.routes(&known), servers }
    }

    /// The two of a pair. An id may have an "and" in it, so the place where it is split is one that leaves a server.
    fn both(&self, subject: &str) -> Vec<Arc<str>> {
        let halves = |(at, _)| (&subject[..at], &subject[at + PAIR.len()..]);
        let is_known = |id: &str| self.snapshot.fleet.find_server(id).is_some();
        let mut halves = subject.match_indices(PAIR).map(halves);
        let found = halves.find(|(one, other)| is_known(one) || is_known(other));
        found.into_iter().flat_map(|(one, other)| [one.into(), other.into()]).collect()
    }

    fn countries(&self, servers: impl IntoIterator<Item = ServerIx>) -> Vec<Arc<str>> {
        let countries: BTreeSet<_> =
            servers.into_iter().filter_map(|ix| self.snapshot.fleet.server(ix).country).collect();
        countries.into_iter().map(|country| country.to_string().into()).collect()
    }

    fn routes(&self, servers: &[ServerIx]) -> Vec<Arc<str>> {
        let of_them = |ix: &EntryIx| servers.contains(&self.owner(*ix));
        let routes = self.snapshot.fleet.routes().iter().filter(|route| route.entry_points.iter().any(of_them));
        routes.map(|route| route.id.as_str().into()).collect()
    }
}

fn standing(topic: Topic, subject: &str, word: &str, severity: Severity) -> Standing {
    Standing { key: Key { topic, subject: subject.into() }, word: word.into(), severity }
}

/// Key of an alert of the edges: an edge may have several, each about an address or a trouble of its own.
pub fn edge_key(alert: &Alert) -> Key {
    let about = match &alert.about {
        edges::About::Gateway => "gateway".to_owned(),
        edges::About::Address(at) => at.to_string(),
        edges::About::Edge(id) => id.to_string(),
        edges::About::Agent(server) => server.to_string(),
    };
    Key { topic: Topic::Edge, subject: format!("{about} {}", alert.trouble.as_str()).into() }
}

fn of_edge(alert: &Alert) -> Alarm {
    let severity = match alert.trouble {
        Trouble::Unresolved | Trouble::Unreachable | Trouble::ForwardsNothing | Trouble::Foreign | Trouble::Past => {
            Severity::Warning
        }
        Trouble::Unlisted | Trouble::NotInDns | Trouble::Unused => Severity::Info,
    };
    Alarm {
        standing: Standing { key: edge_key(alert), word: alert.trouble.as_str().into(), severity },
        since: Some(alert.since),
        about: About { servers: alert.agents.clone(), ..About::default() },
    }
}

#[cfg(test)]
pub(in crate::notify) mod tests;
