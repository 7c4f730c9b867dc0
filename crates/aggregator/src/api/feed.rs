//! A route's feed: what it delivers, best first, and what it withholds and why (R15 to R19).
//!
//! A reader whose copy is older than `ttl_s`, counted from `generated_at_ms` or from its last 304, ignores it and offers its
//! own full list: an aggregator that died must not freeze what it said last.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use quorate_core::balance::{self, Offer, Slate};
use quorate_core::fleet::{Country, EntryIx, Intent, RouteIx};
use quorate_core::policy::Policy;
use quorate_core::rendezvous;
use quorate_core::time::Moment;
use quorate_core::verdict::State as EntryState;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::access::Feeder;
use super::extract::{Named, Params};
use super::problem::Problem;
use super::{Api, etag};
use crate::engine::Snapshot;

/// Whose feed.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FeedQuery {
    /// The client's country: the route as if that were its audience (R18).
    pub country: Option<String>,
    /// Who asks, for a choice that stays the same (R17); any text.
    pub subscriber: Option<String>,
    /// How many entry points the subscriber gets (R17); all when absent.
    pub count: Option<usize>,
}

/// What a route delivers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Feed {
    /// The route.
    pub route: String,
    /// The evaluation that this is of.
    pub generation: u64,
    /// When that was, Unix milliseconds.
    pub generated_at_ms: u64,
    /// Older than this it is to be ignored.
    pub ttl_s: u64,
    /// Nothing good was left: this is the best of the bad (R16).
    pub last_resort: bool,
    /// Best first.
    pub deliver: Vec<Offered>,
    /// In the route's order.
    pub withheld: Vec<Withheld>,
}

/// An entry point that is delivered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Offered {
    /// Its id.
    pub entry_point: String,
    /// Whose it is.
    pub server: String,
    /// What is dialled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// 0 is best, 4 worst; after R18 and R19.
    pub tier: u8,
    /// The strongest word that applies.
    pub state: String,
    /// What is to be said of it; absent where nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// In a subscriber's choice (R17).
    pub weight: u32,
}

/// An entry point that is withheld.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Withheld {
    /// Its id.
    pub entry_point: String,
    /// Whose it is.
    pub server: String,
    /// 0 is best, 4 worst; after R18 and R19.
    pub tier: u8,
    /// The strongest word that applies.
    pub state: String,
    /// Why.
    pub reason: String,
    /// First failure of the series that this rests on, so earlier than the verdict; absent where it rests on none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failing_since_ms: Option<u64>,
}

/// Most bytes of a subscriber's name: ours are hashed, not kept, so this only bounds the work.
const SUBSCRIBER_BYTES_MAX: usize = 256;

/// What a route delivers at this moment, and what it withholds.
#[utoipa::path(get, path = "/routes/{id}/feed", tag = "routes",
    params(("id" = String, Path, description = "The route"), FeedQuery),
    responses((status = 200, body = Feed), (status = 304), (status = 404, body = Problem)))]
pub async fn get_feed(
    State(api): State<Api>,
    _: Feeder,
    headers: HeaderMap,
    Named(id): Named<String>,
    Params(query): Params<FeedQuery>,
) -> Result<Response, Problem> {
    let snapshot = api.engine.snapshot();
    let ix = snapshot.fleet.find_route(&id).ok_or_else(|| Problem::not_found("route", &id))?;
    let feed = feed(&snapshot, ix, &query)?;
    let content = Feed { generation: 0, generated_at_ms: 0, ..feed.clone() };
    etag::answer(&headers, &content, &feed)
}

/// The feed of a route as of a snapshot.
pub fn feed(snapshot: &Snapshot, route: RouteIx, query: &FeedQuery) -> Result<Feed, Problem> {
    let country = country(query)?;
    let slate = balance::slate(&snapshot.fleet, &snapshot.verdicts, route, country);
    let delivered = chosen(snapshot, &slate, query)?;
    let audience = country.is_some() || !snapshot.fleet.route(route).audience.is_empty();
    Ok(Feed {
        route: snapshot.fleet.route(route).id.clone(),
        generation: snapshot.generation,
        generated_at_ms: snapshot.at.as_ms(),
        ttl_s: ttl_s(&snapshot.policy),
        last_resort: slate.last_resort,
        deliver: delivered.iter().map(|offer| offered(snapshot, *offer, audience)).collect(),
        withheld: slate.withheld.iter().map(|offer| withheld(snapshot, *offer)).collect(),
    })
}

/// The entry points that a reader gets at this moment.
pub fn delivered(snapshot: &Snapshot, route: RouteIx, query: &FeedQuery) -> Result<Vec<EntryIx>, Problem> {
    let slate = balance::slate(&snapshot.fleet, &snapshot.verdicts, route, country(query)?);
    Ok(chosen(snapshot, &slate, query)?.into_iter().map(|offer| offer.entry_point).collect())
}

/// The entry points that a reader would get if all were well.
pub fn usual(snapshot: &Snapshot, route: RouteIx, query: &FeedQuery) -> Result<Vec<EntryIx>, Problem> {
    let is_active = |ix: &&EntryIx| snapshot.fleet.owner(**ix).intent == Intent::Active;
    let active = snapshot.fleet.route(route).entry_points.iter().filter(is_active);
    let deliver = active.map(|entry_point| Offer { entry_point: *entry_point, tier: 0 }).collect();
    let slate = Slate { deliver, withheld: Vec::new(), last_resort: false };
    Ok(chosen(snapshot, &slate, query)?.into_iter().map(|offer| offer.entry_point).collect())
}

fn country(query: &FeedQuery) -> Result<Option<Country>, Problem> {
    let parsed =
        |word: &str| word.parse().map_err(|error| Problem::bad_request(format!("country is '{word}': {error}")));
    query.country.as_deref().map(parsed).transpose()
}

/// Three intervals, as with badges; at least ten seconds, so that a sped-up fleet does not outrun its readers.
fn ttl_s(policy: &Policy) -> u64 {
    (policy.interval.as_millis() as u64 * 3).div_ceil(1000).max(10)
}

/// R17, if a subscriber asks: tier by tier, so that nobody gets a worse one while a better one is left.
fn chosen(snapshot: &Snapshot, slate: &Slate, query: &FeedQuery) -> Result<Vec<Offer>, Problem> {
    let count = match query.count {
        Some(0) => return Err(Problem::bad_request("count is 0: use at least 1")),
        count => count.unwrap_or(usize::MAX),
    };
    let Some(subscriber) = &query.subscriber else {
        return Ok(slate.deliver.iter().copied().take(count).collect());
    };
    if subscriber.len() > SUBSCRIBER_BYTES_MAX {
        return Err(Problem::bad_request(format!("subscriber is longer than {SUBSCRIBER_BYTES_MAX} bytes")));
    }
    let mut tiers: BTreeMap<u8, Vec<EntryIx>> = BTreeMap::new();
    for offer in &slate.deliver {
        tiers.entry(offer.tier).or_default().push(offer.entry_point);
    }
    let pick = |(tier, of_tier): (u8, Vec<EntryIx>)| {
        let picked = rendezvous::pick(&snapshot.fleet, subscriber, &of_tier);
        picked.into_iter().map(move |entry_point| Offer { entry_point, tier })
    };
    Ok(tiers.into_iter().flat_map(pick).take(count).collect())
}

fn offered(snapshot: &Snapshot, offer: Offer, has_audience: bool) -> Offered {
    let entry_point = snapshot.fleet.entry_point(offer.entry_point);
    let state = snapshot.verdicts.entry_points[offer.entry_point.at()].state();
    let is_plain = state == EntryState::Clear
        && snapshot.fleet.owner(offer.entry_point).intent == Intent::Active
        && snapshot.refusal(entry_point.server).is_none();
    let spared = match (offer.tier < state.tier(), has_audience) {
        (false, _) => "",
        // R18.
        (true, true) => ", which is not where its users are",
        // R19.
        (true, false) => ", as most of the route is, each in single countries only",
    };
    Offered {
        entry_point: entry_point.id.clone(),
        server: snapshot.name(entry_point.server).to_owned(),
        address: entry_point.address.clone(),
        tier: offer.tier,
        state: state.as_str().to_owned(),
        reason: (!is_plain).then(|| format!("{}{spared}", reason(snapshot, offer))),
        weight: entry_point.weight,
    }
}

fn withheld(snapshot: &Snapshot, offer: Offer) -> Withheld {
    let entry_point = snapshot.fleet.entry_point(offer.entry_point);
    let state = snapshot.verdicts.entry_points[offer.entry_point.at()].state();
    Withheld {
        entry_point: entry_point.id.clone(),
        server: snapshot.name(entry_point.server).to_owned(),
        tier: offer.tier,
        state: state.as_str().to_owned(),
        reason: reason(snapshot, offer),
        failing_since_ms: failing_since_ms(snapshot, offer, state),
    }
}

/// Why an entry point is where it is, in a line.
fn reason(snapshot: &Snapshot, offer: Offer) -> String {
    let verdict = &snapshot.verdicts.entry_points[offer.entry_point.at()];
    let server = snapshot.fleet.owner(offer.entry_point);
    let scopes =
        |scopes: &quorate_core::verdict::Scopes| scopes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match (server.intent, verdict.state()) {
        (Intent::Disabled, _) => "its server is disabled".to_owned(),
        (Intent::Drained, EntryState::Clear) => "its server is drained".to_owned(),
        (_, EntryState::Down) => "its server says it is down".to_owned(),
        (_, EntryState::Unreachable) => format!(
            "{} of {} sites cannot see it (where: {})",
            verdict.against_sites.len(),
            verdict.against_sites.len() + verdict.for_sites(&snapshot.fleet).len(),
            scopes(&verdict.unreachable)
        ),
        (_, EntryState::Blocked) => {
            let by: Vec<&str> = verdict.blocked_by.iter().map(|ix| snapshot.name(*ix)).collect();
            format!("blocked as seen from {} (where: {})", by.join(", "), scopes(&verdict.blocked))
        }
        (_, EntryState::CutOff) => "none of the servers that it forwards to can be used".to_owned(),
        (_, EntryState::Contested) => "two groups of servers accuse each other".to_owned(),
        (_, EntryState::PairBroken) => {
            let by: Vec<&str> = verdict.marks.iter().map(|mark| snapshot.name(mark.witness)).collect();
            format!("{} cannot reach it; nothing confirms that", by.join(", "))
        }
        (_, EntryState::Clear) => match snapshot.refusal(snapshot.fleet.entry_point(offer.entry_point).server) {
            Some(_) => "nothing stands against it, but its server's agent refuses the plan".to_owned(),
            None => "better ones are delivered".to_owned(),
        },
    }
}

/// The first failure that a verdict or a mark rests on, be it said afresh or held.
fn failing_since_ms(snapshot: &Snapshot, offer: Offer, state: EntryState) -> Option<u64> {
    let verdict = &snapshot.verdicts.entry_points[offer.entry_point.at()];
    let accusing = verdict.accusers.iter().map(|accuser| (accuser.witness, accuser.since));
    let held = verdict.lapsed.iter().filter(|lapse| verdict.held.contains(&lapse.witness));
    let all = accusing.chain(held.map(|lapse| (lapse.witness, lapse.since)));
    let first = match state {
        EntryState::Down | EntryState::CutOff | EntryState::Clear => None,
        EntryState::Blocked => all.filter(|(witness, _)| verdict.blocked_by.contains(witness)).map(|(_, at)| at).min(),
        EntryState::Unreachable | EntryState::Contested | EntryState::PairBroken => all.map(|(_, at)| at).min(),
    };
    first.map(Moment::as_ms)
}
