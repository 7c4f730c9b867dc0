//! Agents of another version: what an older one says and what a newer one says, byte for byte as they are pinned here.
//!
//! Promised is (docs/wire.md, "Versions"): what is not known is passed over, what is missing has a meaning, what cannot be
//! understood is refused in words, and a report is kept as it came.

use std::net::SocketAddr;
use std::time::Instant;

use prost::Message as _;
use quorate_proto::v1::{self, to_agent};
use quorate_tests::caller::Caller;
use quorate_tests::fleet::{AGGREGATOR, GATEWAY};
use quorate_tests::http2::Session;

use super::Ask;
use super::finding::Finding;
use super::stage::Stage;

/// Whose agent is of another version.
const SERVER: &str = "de-1";

/// `FromAgent { hello }` of an agent that knew no `edge`: version "0.0.1", purpose session, no plan, outbox `01` x 16, no date.
const OLDER_HELLO: &str = "0a1b 0a05302e302e31 1001 2210 01010101010101010101010101010101";
/// `FromAgent { report }` of such an agent: no date, no self-check, no outcomes: outbox, number 1, plan 0, age 150 ms.
const OLDER_REPORT: &str = "1217 0a10 01010101010101010101010101010101 1001 209601";
/// `FromAgent { hello }` of an agent to come: version "9.0.0", purpose session, outbox `02` x 16, and fields 90 (a varint) and
/// 91 ("new") that nobody knows.
const NEWER_HELLO: &str = "0a24 0a05392e302e30 1001 2210 02020202020202020202020202020202 d00501 da05036e6577";
/// A kind of message that nobody knows (field 15 of `FromAgent`).
const NEWER_KIND: &str = "7a020801";
/// `FromAgent { report }`, with fields 90 and 91 that nobody knows.
const NEWER_REPORT: &str = "1220 0a10 02020202020202020202020202020202 1001 209601 d00501 da05036e6577";
/// `FromAgent { hello }` whose purpose is 9.
const UNKNOWN_PURPOSE: &str = "0a1b 0a05392e302e30 1009 2210 02020202020202020202020202020202";

pub fn run(_: &Ask) -> Vec<Finding> {
    let mut finding = Finding::of("sessions of an older and of newer agents", 3);
    let mut stage = Stage::open(Stage::prepare(), &[]);
    stage.fleet.take_agent(SERVER).end();
    let caller = Caller::with_identity_of(&stage.fleet.agent_data(SERVER), "10.77.0.1");
    let host = stage.fleet.host(SERVER);
    let outside =
        |work: &(dyn Fn(&Caller) -> Vec<String> + Sync)| stage.fleet.lab.namespace(host).within(|| work(&caller));
    finding.beyond.extend(outside(&|caller| converse(caller, &[OLDER_HELLO, OLDER_REPORT], 1)));
    finding.beyond.extend(outside(&|caller| converse(caller, &[NEWER_HELLO, NEWER_KIND, NEWER_REPORT], 1)));
    finding.beyond.extend(outside(&refused));
    for (outbox, pinned) in [("01", OLDER_REPORT), ("02", NEWER_REPORT)] {
        // Two bytes of the envelope, which is not kept.
        let report = &unhex(pinned)[2..];
        if !stage.fleet.archive(None).iter().any(|kept| kept.payload == report) {
            finding.lost.push(format!("the report of outbox {outbox} is not in the archive as it came"));
        }
    }
    // The agent's own outbox goes on where it was.
    stage.fleet.start_agent(SERVER);
    finding.well.push(stage.well(Instant::now(), &[SERVER]));
    stage.close(None, &mut finding);
    vec![finding]
}

fn gateway() -> SocketAddr {
    assert_eq!(GATEWAY.ip(), AGGREGATOR.ipv4());
    GATEWAY
}

/// Says these; what is wrong with the answers: a Welcome, a plan that can be read, and the receipt for that report.
fn converse(caller: &Caller, said: &[&str], sequence: u64) -> Vec<String> {
    let mut session = Session::begin(caller.call(gateway()).expect("the gateway lets it in")).expect("it is one");
    for message in said {
        session.say(&unhex(message)).expect("the gateway listens");
    }
    let (mut welcomed, mut planned) = (false, false);
    loop {
        let heard = session.hear().expect("the gateway answers");
        let Some(heard) = heard else { return vec!["the session ended before the receipt".to_owned()] };
        match v1::ToAgent::decode(&*heard).expect("it is a message").kind {
            Some(to_agent::Kind::Welcome(welcome)) => {
                welcomed = welcome.server == SERVER && welcome.stored_sequence == 0;
            }
            Some(to_agent::Kind::Plan(plan)) => planned = plan.targets.len() == 4,
            Some(to_agent::Kind::Ack(ack)) => {
                let is_right = welcomed && planned && ack.sequence == sequence;
                return if is_right {
                    Vec::new()
                } else {
                    vec![format!("welcomed {welcomed}, planned {planned}, {ack:?}")]
                };
            }
            other => return vec![format!("answered by {other:?}")],
        }
    }
}

/// Says what cannot be understood; what is wrong with the refusal.
fn refused(caller: &Caller) -> Vec<String> {
    let mut session = Session::begin(caller.call(gateway()).expect("the gateway lets it in")).expect("it is one");
    session.say(&unhex(UNKNOWN_PURPOSE)).expect("the gateway listens");
    let heard = session.hear().expect("the gateway answers").unwrap_or_default();
    match v1::ToAgent::decode(&*heard).expect("it is a message").kind {
        Some(to_agent::Kind::Close(close)) if close.reason == "protocol" && close.detail.contains("purpose 9") => {
            Vec::new()
        }
        other => vec![format!("a purpose that nobody knows is answered by {other:?}")],
    }
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal")).collect()
}
