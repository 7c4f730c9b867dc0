use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use quorate_core::edge_watch::Knock;
use quorate_core::outcome::{FailureKind, Reason};
use serde_json::json;

use super::look::is_related;
use super::{EdgeSeen, Finding, LookError, Looker, NameSeen, OriginSeen, Seen, TextSeen, Weight, conclude, mentions};
use crate::api::tests::House;
use crate::edge_watch::relay::{Manner, Relay};
use crate::edge_watch::{Dialled, Resolver, Trust};

const THROUGH: Knock = Knock::Through { connect: Duration::from_millis(9), handshake: Duration::from_millis(40) };
const REFUSED: Knock = Knock::Unreachable(FailureKind::ConnectionRefused);
const SILENT: Knock = Knock::Unreachable(FailureKind::Timeout);

fn addr(text: &str) -> SocketAddr {
    text.parse().unwrap()
}

/// Two edges that lead to the gateway, and an origin that does not answer.
fn as_it_should_be() -> Seen {
    let edge = |at| EdgeSeen { at: addr(at), knock: THROUGH, authority: Some([7; 32]) };
    Seen {
        gateway: "watch.example.org:8443".to_owned(),
        edges: vec![edge("192.0.2.1:8443"), edge("192.0.2.2:8443")],
        origins: vec![OriginSeen { at: addr("203.0.113.5:8443"), knock: SILENT }],
        expected_authority: Some([7; 32]),
        ..Seen::default()
    }
}

fn standing(seen: &Seen) -> Vec<String> {
    let stands = |finding: Finding| (finding.weight == Weight::Stands).then_some(finding.told);
    conclude(seen).into_iter().filter_map(stands).collect()
}

fn only(seen: &Seen) -> String {
    let mut standing = standing(seen);
    assert_eq!(standing.len(), 1, "{:?}", conclude(seen));
    standing.remove(0)
}

#[test]
fn an_origin_that_does_not_answer_while_edges_do_is_as_it_should_be() {
    assert_eq!(standing(&as_it_should_be()), [""; 0]);
    let mut refused = as_it_should_be();
    refused.origins[0].knock = REFUSED;
    assert_eq!(standing(&refused), [""; 0]);
}

#[test]
fn where_nobody_is_at_the_origins_address_it_may_be_mistyped() {
    let mut seen = as_it_should_be();
    seen.origins[0].knock = Knock::Unreachable(FailureKind::HostUnreachable);
    assert!(only(&seen).starts_with("Nobody is at 203.0.113.5:8443"), "{}", only(&seen));
}

#[test]
fn an_origin_that_takes_a_connection_stands_whatever_it_says_then() {
    for (knock, said) in [
        (THROUGH, "and it is the gateway"),
        (Knock::Nobody { connect: Duration::ZERO, kind: FailureKind::Eof }, "though not as the gateway"),
        (Knock::Foreign { connect: Duration::ZERO, kind: FailureKind::FailedHandshake }, "though not as the gateway"),
    ] {
        let mut seen = as_it_should_be();
        seen.origins[0].knock = knock;
        let told = only(&seen);
        assert!(told.starts_with("203.0.113.5:8443 answers from here") && told.contains(said), "{told}");
        assert!(told.contains("deploy/edge/"), "{told}");
    }
}

#[test]
fn silence_proves_nothing_where_no_edge_of_that_family_answers() {
    let mut deaf = as_it_should_be();
    deaf.edges.iter_mut().for_each(|edge| edge.knock = SILENT);
    assert!(standing(&deaf).iter().any(|told| told.contains("over IPv4 either: that proves nothing")));
    let mut other_family = as_it_should_be();
    other_family.origins[0].at = addr("[2001:db8::5]:8443");
    assert!(only(&other_family).contains("over IPv6 either: that proves nothing"));
    let mut untried = as_it_should_be();
    untried.origins[0].knock = Knock::Untold(Reason::NoRoute);
    assert!(only(&untried).contains("cannot be tried from here (no_route)"));
}

#[test]
fn each_edge_is_told_by_what_was_found_at_it() {
    let with = |knock| {
        let mut seen = as_it_should_be();
        seen.edges[1].knock = knock;
        seen
    };
    assert!(only(&with(SILENT)).contains("192.0.2.2:8443 takes no connections (generic_timeout_error)"));
    let nobody = Knock::Nobody { connect: Duration::ZERO, kind: FailureKind::Timeout };
    assert!(only(&with(nobody)).contains("forwards nothing"));
    let foreign = Knock::Foreign { connect: Duration::ZERO, kind: FailureKind::InvalidCertificate };
    assert!(only(&with(foreign)).contains("leads to somebody who is not the gateway"));
    assert_eq!(standing(&with(Knock::Untold(Reason::NoRoute))), [""; 0], "an edge that cannot be tried may be well");
}

#[test]
fn an_origin_in_dns_is_told_as_such_and_not_as_an_edge() {
    let mut seen = as_it_should_be();
    seen.edges[1].at = addr("203.0.113.5:8443");
    assert!(only(&seen).contains("is the gateway's own address and in DNS for watch.example.org:8443"));
}

#[test]
fn edges_that_lead_to_two_gateways_are_told_though_nobody_knows_which_is_right() {
    let mut seen = as_it_should_be();
    seen.expected_authority = None;
    assert_eq!(standing(&seen), [""; 0]);
    assert!(conclude(&seen).iter().any(|finding| finding.told.contains("taken on trust")));
    seen.edges[1].authority = Some([8; 32]);
    assert!(only(&seen).contains("lead to 2 different gateways"));
}

#[test]
fn a_name_or_a_text_that_gives_the_origin_away_is_told_with_what_it_is() {
    let name = |ip: &str| NameSeen {
        name: "panel.example.org".to_owned(),
        known_as: "is public".to_owned(),
        addresses: [ip.parse().unwrap()].into(),
    };
    let text = |text: &str| TextSeen { of: "/badge/a.svg of the API".to_owned(), text: text.to_owned() };
    let mut seen = as_it_should_be();
    (seen.names, seen.texts) = (vec![name("192.0.2.80")], vec![text("nl-1: OK at 203.0.113.50")]);
    assert_eq!(standing(&seen), [""; 0]);
    seen.names = vec![name("203.0.113.5")];
    assert!(only(&seen).starts_with("panel.example.org is public and leads to 203.0.113.5"));
    (seen.names, seen.texts) = (Vec::new(), vec![text("gateway at 203.0.113.5:8443")]);
    assert!(only(&seen).starts_with("/badge/a.svg of the API names 203.0.113.5"));
}

#[test]
fn an_address_is_found_as_a_whole() {
    let found = |text, ip: &str| mentions(text, ip.parse().unwrap());
    assert!(found("203.0.113.5", "203.0.113.5") && found("at 203.0.113.5.", "203.0.113.5"));
    assert!(found("<a href=\"https://203.0.113.5:8443/\">", "203.0.113.5"));
    assert!(!found("203.0.113.50 1203.0.113.5 203.0.113.5.6", "203.0.113.5"));
    assert!(found("[2001:DB8::5]:8443", "2001:db8::5") && !found("2001:db8::51", "2001:db8::5"));
    assert!(!found("2001:db8::5:1", "2001:db8::5"));
}

#[test]
fn reverse_dns_tells_on_its_owner_only_by_his_own_domain() {
    for own in ["origin.example.org", "Origin.Example.ORG."] {
        assert!(is_related(own, "watch.example.org"), "{own}");
    }
    assert!(!is_related("static.5.113.0.203.hoster.example", "watch.example.org"));
    assert!(!is_related("localhost", "example.org"));
}

/// A gateway on an address of its own, an edge before it, and names for a resolver.
struct Street {
    house: House,
    edge: Relay,
}

impl Street {
    async fn open() -> Self {
        let inventory = json!({"edges": [{"id": "fra", "networks": ["127.0.0.62"]}]});
        let house = House::with(serde_json::from_value(inventory).unwrap(), |config| {
            config.listen_gateway = addr("127.0.0.61:0");
            config.gateway_names = vec!["watch.example.org".to_owned(), "second.example.org".to_owned()];
        });
        let house = house.await;
        let edge = Relay::start([127, 0, 0, 62], house.running.gateway_addr).await;
        Self { house, edge }
    }

    fn looker(&self, origin: SocketAddr, names: &[(&str, SocketAddr)]) -> Looker {
        let mut known: BTreeMap<String, SocketAddr> =
            names.iter().map(|(name, at)| ((*name).to_owned(), *at)).collect();
        known.entry("watch.example.org".to_owned()).or_insert(self.edge.at);
        let resolver = Resolver::new(move |host, port| {
            let found = known.get(&host).copied();
            async move {
                let at = found.ok_or_else(|| std::io::Error::other("no such name"))?;
                // A host's page is on another port than its gateway.
                Ok(vec![if port == 443 { SocketAddr::new(at.ip(), 443) } else { at }])
            }
        });
        Looker {
            gateway: Dialled { host: "watch.example.org".to_owned(), port: self.edge.at.port() },
            edges: Vec::new(),
            origins: vec![origin],
            public: Vec::new(),
            trust: Trust::OnSight,
            resolver,
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_look_tells_an_open_origin_from_a_shut_one_and_reads_the_certificate() {
    let mut street = Street::open().await;
    let (open, shut) = (street.house.running.gateway_addr, addr("127.0.0.63:9"));
    let seen = street.looker(shut, &[]).look().await.unwrap();
    assert_eq!(standing(&seen), [""; 0]);
    assert!(matches!(seen.edges[0].knock, Knock::Through { .. }));

    let seen = street.looker(open, &[]).look().await.unwrap();
    assert!(only(&seen).starts_with(&format!("{open} answers from here, and it is the gateway")));
    let seen = street.looker(shut, &[("second.example.org", shut)]).look().await.unwrap();
    assert!(only(&seen).starts_with("second.example.org is in the gateway's certificate"), "{:?}", standing(&seen));

    let mut pinned = street.looker(shut, &[]);
    pinned.trust = Trust::Pinned([1; 32]);
    assert!(
        standing(&pinned.look().await.unwrap())[0]
            .contains("somebody who is not the gateway (ssl_invalid_certificate)")
    );

    street.edge.turn(Manner::Hold).await;
    let seen = street.looker(shut, &[]).look().await.unwrap();
    assert!(only(&seen).contains("forwards nothing (generic_timeout_error)"));
    street.edge.turn(Manner::Refuse).await;
    let seen = street.looker(shut, &[]).look().await.unwrap();
    assert_eq!(
        standing(&seen).len(),
        2,
        "the edge, and that the origin's silence proves nothing: {:?}",
        standing(&seen)
    );

    let mut early = street.looker(shut, &[]);
    (early.gateway.host, early.edges) = ("second.example.org".to_owned(), vec![street.edge.at]);
    street.edge.turn(Manner::Forward).await;
    assert_eq!(standing(&early.look().await.unwrap()), [""; 0], "an edge is tried before it is in DNS");

    let mut nameless = street.looker(shut, &[]);
    nameless.gateway.host = "zz.example.org".to_owned();
    assert!(matches!(nameless.look().await, Err(LookError::Unresolved { .. })));
    street.house.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_that_faces_the_public_carries_the_gateways_address() {
    let origin = "127.0.0.64";
    let server = json!({"id": "a", "address": "198.51.100.7"});
    let inventory = json!({
        "servers": [server],
        "routes": [{"id": "all", "entry_points": ["a/tls"]}],
        "edges": [{"id": "fra", "networks": ["127.0.0.65"]}],
    });
    let house = House::with(serde_json::from_value(inventory).unwrap(), |config| {
        config.listen_gateway = format!("{origin}:0").parse().unwrap();
    });
    let house = house.await;
    assert_eq!(house.running.gateway_addr.ip().to_string(), origin);
    let feed_token = house.token("feed").await;
    let open = ["/", "/page.js", "/healthz", "/readyz", "/api/v1/openapi.json", "/nowhere", "/api/v1/edges"];
    let read =
        ["/api/v1/routes/all/feed", "/badge/a.svg", "/badge/a.json", "/api/v1/edges", "/api/v1/edges/fra", "/metrics"];
    let asked = open
        .map(|path| (path, String::new()))
        .into_iter()
        .chain([("/api/v1/routes/all/feed", feed_token)])
        .chain(read.map(|path| (path, house.token.clone())));
    for (path, token) in asked {
        let request = house.request(reqwest::Method::GET, path);
        let request = if token.is_empty() { request } else { request.bearer_auth(token) };
        let answer = house.answer(request).await;
        let shown = format!("{:?} {}", answer.headers, answer.text);
        assert!(!answer.text.is_empty() && !mentions(&shown, origin.parse().unwrap()), "{path}: {shown}");
    }
    let enrolment = house.act(reqwest::Method::POST, "/api/v1/servers/a/enrolment").await;
    assert_eq!(enrolment.status, 201);
    assert!(!mentions(&enrolment.text, origin.parse().unwrap()), "{}", enrolment.text);
    house.close().await;
}
