//! What stands, in words.

use quorate_core::balance::{self, Offer};
use quorate_core::explain::{self, Explanation};
use quorate_core::fleet::{RouteIx, ServerIx};
use quorate_core::label;
use quorate_core::notify::{Severity, Topic};
use quorate_core::renewal::Stage;
use quorate_core::verdict::Status;

use super::title::said;
use super::{Item, Known, News, Scene, list, placed};
use crate::notify::scene::{AGGREGATOR, BrokenPair, edge_key};
use crate::when;

/// Sentences of evidence in a message: who accuses, since when, who vouches. The rest is on the page.
const FACTS_MAX: usize = 3;

/// The parts that differ.
#[derive(Default)]
struct Told {
    subject: Option<String>,
    title: String,
    facts: Vec<String>,
    advice: Vec<String>,
    servers: Vec<String>,
    addresses: Vec<String>,
}

pub(super) fn item(scene: &Scene, known: &Known<'_>, word: &str, severity: Severity) -> Item {
    let key = &known.change.key;
    let told = match key.topic {
        Topic::Aggregator => hears_nobody(scene),
        Topic::Route => scene.snapshot.fleet.find_route(&key.subject).map(|ix| route(scene, ix)),
        Topic::CountryCut => Some(cut(scene, &key.subject)),
        Topic::ServerStatus => server(scene, &key.subject, status),
        Topic::Pair => scene.pairs().get(key).map(|pair| self::pair(scene, *pair)),
        Topic::HalfBlind => server(scene, &key.subject, half_blind),
        Topic::Edge => edge(scene, known),
        Topic::PlanRefused => server(scene, &key.subject, plan_refused),
        Topic::Certificate => server(scene, &key.subject, certificate),
        // Nothing of it stands: it is told as notes.
        Topic::Session => None,
    };
    // What is told was read off this very scene; a bare line is better than none all the same.
    let bare = || Told { title: format!("{}: {}", key.subject, said(word)), ..Told::default() };
    let told = told.unwrap_or_else(bare);
    let before = known.change.before.as_ref().filter(|before| !before.silent);
    Item {
        news: if before.is_some() { News::Change } else { News::Alarm },
        event: key.topic.as_str().to_owned(),
        subject: told.subject.unwrap_or_else(|| key.subject.to_string()),
        word: word.to_owned(),
        was: before.map(|before| before.word.to_string()),
        severity: severity.as_str().to_owned(),
        was_severity: before.map(|before| before.severity.as_str().to_owned()),
        since_ms: known.since.as_ms(),
        servers: told.servers,
        addresses: told.addresses,
        title: told.title,
        facts: told.facts,
        advice: told.advice,
        link: None,
    }
}

fn server(scene: &Scene, id: &str, tell: impl Fn(&Scene, ServerIx) -> Option<Told>) -> Option<Told> {
    let ix = scene.snapshot.fleet.find_server(id)?;
    tell(scene, ix).map(|told| Told { servers: vec![id.to_owned()], ..told })
}

fn explained(scene: &Scene, ix: ServerIx) -> Explanation {
    let snapshot = &scene.snapshot;
    explain::server(&snapshot.fleet, &snapshot.policy, &snapshot.verdicts, ix, &when::date_and_time)
}

fn advice(explained: Explanation) -> Vec<String> {
    explained.advice.into_iter().map(|sentence| sentence.text).collect()
}

fn status(scene: &Scene, ix: ServerIx) -> Option<Told> {
    let snapshot = &scene.snapshot;
    let (server, verdict) = (snapshot.fleet.server(ix), &snapshot.verdicts.servers[ix.at()]);
    let mut explained = explained(scene, ix);
    let findings = std::mem::take(&mut explained.findings).into_iter();
    // The first finding is the title in other words.
    let mut facts: Vec<String> = findings.skip(1).take(FACTS_MAX).map(|sentence| sentence.text).collect();
    let is_out_of_sight = matches!(verdict.status, Status::Unreachable | Status::Blocked | Status::Degraded);
    let mut addresses: Vec<String> = Vec::new();
    if is_out_of_sight {
        let own = server.entry_points.iter().filter(|ix| {
            let verdict = &snapshot.verdicts.entry_points[ix.at()];
            !verdict.unreachable.is_empty() || !verdict.blocked.is_empty()
        });
        addresses.extend(own.filter_map(|ix| snapshot.fleet.entry_point(*ix).address.clone()));
        addresses.sort();
        addresses.dedup();
        let fact = match addresses.as_slice() {
            [] => None,
            [one] => Some(format!("The address is {one}.")),
            many => Some(format!("The addresses are {}.", list(many))),
        };
        facts.splice(0..0, fact);
    }
    let text = label::badge(&snapshot.fleet, &snapshot.verdicts, ix);
    Some(Told {
        title: format!("{}: {text}", placed(scene, ix)),
        facts,
        advice: advice(explained),
        addresses,
        ..Told::default()
    })
}

/// Both are named, and neither is blamed.
fn pair(scene: &Scene, BrokenPair { target, witness, mutual }: BrokenPair) -> Told {
    let (one, other) = (placed(scene, witness), placed(scene, target));
    let title = if mutual {
        format!("{one} and {other} cannot reach each other")
    } else {
        format!("{one} cannot reach {other}")
    };
    let back = if mutual { "" } else { " The other way round it works, or is not tried." };
    Told {
        title,
        facts: vec![format!("That is a single pair, too little for a verdict: nothing is taken out of a route.{back}")],
        advice: advice(explained(scene, target)),
        servers: [witness, target].map(|ix| scene.snapshot.name(ix).to_owned()).into(),
        ..Told::default()
    }
}

fn half_blind(scene: &Scene, ix: ServerIx) -> Option<Told> {
    let found = scene.snapshot.verdicts.servers[ix.at()].half_blind.as_ref()?;
    let unseen: Vec<String> = found.unseen.iter().map(|ix| placed(scene, *ix)).collect();
    let title = format!(
        "{}: as a witness it cannot see {} of the {} servers that it judges",
        placed(scene, ix),
        found.unseen.len(),
        found.judged
    );
    let fact = format!("It cannot see {}. That is said of the witness, and marks none of them.", list(&unseen));
    // What stands against the server itself is told by itself.
    let advice = explained(scene, ix).advice.into_iter().filter(|sentence| sentence.rules.contains(&"R3"));
    let advice = advice.map(|sentence| sentence.text).collect();
    Some(Told { title, facts: vec![fact], advice, ..Told::default() })
}

fn plan_refused(scene: &Scene, ix: ServerIx) -> Option<Told> {
    let refusal = scene.snapshot.refusal(ix)?;
    Some(Told {
        title: format!("{}: its agent refuses the plan: {}", placed(scene, ix), refusal.reason),
        facts: vec![
            "It goes on with the plan before, if it has one, so what is new in this one is not probed by it."
                .to_owned(),
        ],
        advice: vec![format!(
            "What to do: change what the plan asks for, or widen the limits in the agent's own file on {}.",
            scene.snapshot.name(ix)
        )],
        ..Told::default()
    })
}

fn certificate(scene: &Scene, ix: ServerIx) -> Option<Told> {
    let id = scene.snapshot.name(ix);
    let (pin, stage) = scene.late.iter().find(|(pin, _)| &*pin.server == id)?;
    let end = when::date_and_time(pin.lifetime.not_after);
    let (text, advice) = match stage {
        Stage::Fresh | Stage::Due | Stage::Late => (
            format!("its certificate ends {end} and should have been renewed by now"),
            format!("What to do: look at the log of the agent on {id}: it says why it does not renew it."),
        ),
        Stage::Expired => (
            format!("its certificate ended {end}: it can be renewed, and nothing else"),
            format!(
                "What to do: look whether the agent on {id} runs and reaches the aggregator: it renews it by itself."
            ),
        ),
        Stage::Lost => (
            format!("its certificate ended {end}, too long ago to be renewed"),
            format!("What to do: enrol it again: `quorate-aggregator enroll {id}`."),
        ),
    };
    Some(Told { title: format!("{}: {text}", placed(scene, ix)), advice: vec![advice], ..Told::default() })
}

fn route(scene: &Scene, ix: RouteIx) -> Told {
    let (fleet, verdicts) = (&scene.snapshot.fleet, &scene.snapshot.verdicts);
    let slate = balance::slate(fleet, verdicts, ix, None);
    let id = &fleet.route(ix).id;
    let offered = |offers: &[Offer]| {
        let named = |offer: &Offer| {
            let word = verdicts.entry_points[offer.entry_point.at()].state().as_str();
            format!("{} ({})", fleet.entry_point(offer.entry_point).id, said(word))
        };
        list(&offers.iter().map(named).collect::<Vec<_>>())
    };
    if slate.deliver.is_empty() {
        return Told {
            title: format!("Route {id} delivers nothing: it has no entry point of an active or drained server"),
            advice: vec![format!("What to do: add an entry point to {id}, or set one of its servers to active.")],
            ..Told::default()
        };
    }
    let mut facts = vec![format!("It delivers {}.", offered(&slate.deliver))];
    if !slate.withheld.is_empty() {
        facts.push(format!("It withholds {}.", offered(&slate.withheld)));
    }
    Told {
        title: format!("Route {id} is at its last resort: nothing good is left, and it delivers the best of the bad"),
        facts,
        advice: vec![format!(
            "What to do: bring back what stands against its servers, or add one that can be reached: \
             `quorate-aggregator explain {id}` says what stands against each."
        )],
        ..Told::default()
    }
}

fn cut(scene: &Scene, country: &str) -> Told {
    let cuts = scene.snapshot.verdicts.cuts.iter().filter(|cut| cut.country.to_string() == country);
    let facts = cuts.map(|cut| {
        let names = |servers: &[ServerIx]| list(&servers.iter().map(|ix| placed(scene, *ix)).collect::<Vec<_>>());
        format!("On {}, {} lost sight of {} at once.", cut.lane, names(&cut.witnesses), names(&cut.targets))
    });
    let mut facts: Vec<String> = facts.collect();
    facts.push(format!(
        "That alone changes no status; users of {country} are offered after others what cannot be seen from there."
    ));
    Told {
        title: format!("{country}: its servers lost sight of others all at once, as when a border closes"),
        facts,
        advice: vec![format!(
            "What to do: look at the networks of {country}. If it lasts, its users need servers that stand inside."
        )],
        ..Told::default()
    }
}

fn edge(scene: &Scene, known: &Known<'_>) -> Option<Told> {
    let alerts = scene.edges.watch.alerts();
    let alert = alerts.iter().find(|alert| edge_key(alert) == known.change.key)?;
    let subject = alert.subject();
    Some(Told {
        title: format!("Edge {subject}: {}", alert.fact),
        advice: vec![alert.advice.clone()],
        servers: alert.agents.iter().map(ToString::to_string).collect(),
        subject: Some(subject),
        ..Told::default()
    })
}

#[allow(clippy::unnecessary_wraps, reason = "beside others that may find nothing")]
fn hears_nobody(scene: &Scene) -> Option<Told> {
    let servers = &scene.snapshot.verdicts.servers;
    let heard = servers.iter().filter(|verdict| verdict.last_report_at.is_some()).count();
    Some(Told {
        subject: Some(AGGREGATOR.to_owned()),
        title: format!("The aggregator hears no agent: all {heard} that have ever reported are silent"),
        facts: vec!["Nobody watches meanwhile: verdicts stay as they are for a while, and then lapse.".to_owned()],
        advice: vec![
            "What to do: look at the aggregator's own network first: its gateway's port, the edges before it, its clock."
                .to_owned(),
        ],
        ..Told::default()
    })
}
