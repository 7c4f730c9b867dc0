//! The parts that decide, without sockets.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use prost::Message as _;
use quorate_core::time::Moment;
use quorate_proto::v1::{self, from_agent};

use crate::engine::Plans;
use crate::gateway::arrival::Arrival;
use crate::gateway::gate::{Entry, Gate, Origin, Place};
use crate::gateway::limits::{WAITING_MAX, WAITING_PER_ORIGIN_MAX};
use crate::gateway::plan::plan_of;
use crate::gateway::registry::{Opened, Sessions};
use crate::gateway::wire::Incoming;
use crate::rate::{Meter, Meters};

fn origin(n: usize) -> Origin {
    std::net::IpAddr::from([10, 0, (n / 256) as u8, (n % 256) as u8]).into()
}

fn seat(gate: &Arc<Gate>, origin: Origin) -> Place {
    match gate.enter(origin) {
        Entry::Free(place) => place,
        other @ Entry::Shed(_) => panic!("{other:?}"),
    }
}

#[test]
fn addresses_of_one_customer_count_as_one() {
    let of = |text: &str| Origin::from(text.parse::<std::net::IpAddr>().unwrap());
    assert_eq!(of("2001:db8:1:2::1"), of("2001:db8:1:2:ffff::9"));
    assert_ne!(of("2001:db8:1:2::1"), of("2001:db8:1:3::1"));
    assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
    assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
}

#[tokio::test]
async fn when_the_room_is_full_the_oldest_goes_who_has_sent_no_whole_client_hello() {
    let gate = Arc::new(Gate::default());
    let places: Vec<_> = (0..WAITING_MAX).map(|n| seat(&gate, origin(n))).collect();
    places[0].introduced();
    places[1].spoke();
    let Entry::Shed(_newcomer) = gate.enter(origin(9999)) else { panic!("nobody made room") };
    places[1].shed().await;
    assert_eq!(gate.waiting(), WAITING_MAX);
}

#[tokio::test]
async fn when_all_have_introduced_themselves_the_oldest_on_the_fullest_bench_goes() {
    let gate = Arc::new(Gate::default());
    let mut places: Vec<_> = (2..WAITING_MAX).map(|n| seat(&gate, origin(n))).collect();
    let pair = [seat(&gate, origin(1)), seat(&gate, origin(1))];
    places.iter().chain(&pair).for_each(Place::introduced);
    let Entry::Shed(_newcomer) = gate.enter(origin(9999)) else { panic!("nobody made room") };
    pair[0].shed().await;
    drop(pair);
    places.pop();
    assert!(matches!(gate.enter(origin(9998)), Entry::Free(_)));
}

#[test]
fn one_origin_fills_its_bench_and_no_more() {
    let gate = Arc::new(Gate::default());
    let places: Vec<_> = (0..WAITING_PER_ORIGIN_MAX).map(|_| seat(&gate, origin(1))).collect();
    let _other = seat(&gate, origin(2));
    places.iter().for_each(Place::introduced);
    assert!(matches!(gate.enter(origin(1)), Entry::Shed(_)));
    drop(places);
    assert_eq!(gate.waiting(), 1, "whoever leaves, shed or not, leaves nothing behind");
}

#[tokio::test]
async fn an_edge_may_fill_the_room_and_gives_places_to_those_who_come_another_way() {
    let gate = Arc::new(Gate::default());
    let edge = |id: &str| Origin::Edge(id.into());
    let talkers: Vec<_> = (0..WAITING_MAX).map(|_| seat(&gate, edge("fra"))).collect();
    talkers.iter().for_each(Place::introduced);
    let mut others = Vec::new();
    for talker in &talkers[..WAITING_MAX / 2] {
        let Entry::Shed(place) = gate.enter(edge("ams")) else { panic!("the fullest bench gives none") };
        place.introduced();
        talker.shed().await;
        others.push(place);
    }
    // Now both have half, and still nobody is turned away.
    let Entry::Shed(_household) = gate.enter(origin(1)) else { panic!("a third gets a place") };
    let Entry::Shed(_own) = gate.enter(edge("fra")) else { panic!("so does one more of an edge") };
    assert_eq!(gate.waiting(), WAITING_MAX);
}

#[test]
fn who_goes_on_in_an_older_session_is_another_machine_with_the_same_identity() {
    let sessions = Sessions::default();
    let open = |since: u64, addr: &str| {
        let opened = Opened {
            server: "nl-1".to_owned(),
            since: Moment::from_ms(since),
            arrival: Arrival { peer_addr: addr.parse().unwrap(), through: None },
            dialled: None,
            agent_version: String::new(),
            plan_version: 0,
            outbox: vec![1; 16],
        };
        sessions.open([0; 32], opened)
    };
    let older = open(1_000, "192.0.2.1:1");
    assert!(older.twin(Moment::from_ms(900_000)).is_none(), "there is one session");
    let newer = open(2_000, "192.0.2.2:2");
    assert!(older.twin(Moment::from_ms(31_999)).is_none(), "its last words may be under way");
    assert_eq!(older.twin(Moment::from_ms(32_000)).unwrap().peer_addr, "192.0.2.2:2".parse().unwrap());
    assert!(newer.twin(Moment::from_ms(900_000)).is_none(), "the newest session is the agent's own");
    drop(newer);
    assert!(older.twin(Moment::from_ms(900_000)).is_none());
}

#[test]
fn a_burst_passes_and_then_one_in_every_so_often() {
    let (every, burst) = (Duration::from_secs(3), 4);
    let start = Moment::from_ms(1_000_000);
    let mut meter = Meter::default();
    for _ in 0..burst {
        assert_eq!(meter.take(start, burst, every), Ok(()));
    }
    assert_eq!(meter.take(start, burst, every), Err(every));
    assert_eq!(meter.take(start.after(every), burst, every), Ok(()));
    assert_eq!(meter.take(start.after(every), burst, every), Err(every));
}

#[test]
fn meters_do_not_grow_without_bound() {
    let mut meters = Meters::default();
    let pace = (1, Duration::from_secs(3));
    for n in 0..100 {
        assert!(meters.take(origin(n), Moment::from_ms(1000), pace, 10).is_ok());
    }
    assert!(meters.take(origin(0), Moment::from_ms(1000), pace, 10).is_err(), "the first ones are remembered");
    assert!(meters.take(origin(99), Moment::from_ms(5000), pace, 10).is_ok());
    assert!(meters.take(origin(99), Moment::from_ms(5000), pace, 10).is_err(), "and make room when their time is over");
}

#[test]
fn a_report_is_kept_byte_for_byte_with_fields_of_a_newer_agent() {
    let known = v1::Report { outbox_id: b"o".to_vec(), sequence: 1, ..v1::Report::default() };
    // Field 99 of a later version.
    let payload = [known.encode_to_vec(), b"\x9a\x06\x05later".to_vec()].concat();
    let mut message = vec![0x12, payload.len() as u8];
    message.extend_from_slice(&payload);
    // A field beside it that is not known either.
    message.extend_from_slice(b"\xa0\x06\x01");
    let decoded = Incoming::decode(&Bytes::from(message)).unwrap();
    assert_eq!(decoded, Incoming::Report(known.into(), payload.into()));
}

#[test]
fn a_report_in_two_pieces_is_put_together() {
    let whole = v1::Report { outbox_id: b"o".to_vec(), sequence: 1, ..v1::Report::default() };
    let piece = |report: v1::Report| v1::FromAgent { kind: Some(from_agent::Kind::Report(report)) }.encode_to_vec();
    let first = piece(v1::Report { outbox_id: b"o".to_vec(), ..v1::Report::default() });
    let second = piece(v1::Report { sequence: 1, ..v1::Report::default() });
    let decoded = Incoming::decode(&Bytes::from([first, second].concat())).unwrap();
    assert_eq!(decoded, Incoming::Report(whole.clone().into(), whole.encode_to_vec().into()));
}

#[test]
fn a_server_that_is_not_in_the_inventory_is_told_to_knock_on_none() {
    let plan = v1::Plan { version: 3, interval_ms: 1000, ..v1::Plan::default() };
    for by_server in [BTreeMap::new(), BTreeMap::from([("nl-1".to_owned(), plan)])] {
        let plans = Plans { version: 3, by_server };
        let sent = plan_of(&plans, "gone").unwrap();
        let taken = quorate_proto::plan::from_wire(sent).unwrap();
        assert_eq!((taken.version, taken.targets.len()), (3, 0));
    }
    assert_eq!(plan_of(&Plans::default(), "nl-1"), None, "before the first plans nothing is known");
}
