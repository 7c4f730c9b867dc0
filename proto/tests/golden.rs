//! Version 1 of the wire, byte by byte: one file for each message under `golden/v1`.
//!
//! A file is hexadecimal, 32 bytes a line. It is written once (`UPDATE_EXPECT=1`) and never changes after: agents in the
//! field speak it. A message that gains a field keeps its file, which then shows that the older form is still read.
//!
//! A field that a peer of a newer version adds is passed over without an error; it is not kept when the message is encoded
//! anew. What must outlive a version (an archived report) is therefore stored as the bytes that came.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use core::time::Duration;
use std::fmt::{Debug, Write as _};

use expect_test::expect_file;
use prost::Message;
use quorate_core::outcome::{Failure, FailureKind, Operation, Outcome, Reason};
use quorate_proto::{PLAN_BYTES_MAX, REPORT_BYTES_MAX, outcomes, v1};

/// Encodes as pinned, and what is pinned decodes to the same.
macro_rules! golden {
    ($test:ident, $file:literal, $message:expr) => {
        #[test]
        fn $test() {
            let message = $message;
            expect_file![concat!("../golden/v1/", $file, ".hex")].assert_eq(&hex(&message.encode_to_vec()));
            assert_reads(include_str!(concat!("../golden/v1/", $file, ".hex")), &message);
        }
    };
}

golden!(
    hello_is_pinned,
    "hello",
    from_agent(v1::from_agent::Kind::Hello(v1::Hello {
        agent_version: "0.1.0".to_owned(),
        purpose: v1::Purpose::Session.into(),
        plan_version: 7,
        outbox_id: vec![0xa0; 16],
        wall_ms: 1_700_000_000_123,
        edge: String::new(),
    }))
);

golden!(
    hello_by_way_of_an_edge_is_pinned,
    "hello_edge",
    from_agent(v1::from_agent::Kind::Hello(v1::Hello {
        agent_version: "0.1.0".to_owned(),
        purpose: v1::Purpose::Probe.into(),
        edge: "[2001:db8::7]:8443".to_owned(),
        ..v1::Hello::default()
    }))
);

golden!(
    hello_for_renewal_is_pinned,
    "hello_renew",
    from_agent(v1::from_agent::Kind::Hello(v1::Hello {
        agent_version: "0.2.0".to_owned(),
        purpose: v1::Purpose::Renew.into(),
        wall_ms: 1_700_000_000_123,
        ..v1::Hello::default()
    }))
);

golden!(report_is_pinned, "report", from_agent(v1::from_agent::Kind::Report(report())));

golden!(renew_is_pinned, "renew", from_agent(v1::from_agent::Kind::Renew(v1::Renew { csr_der: vec![0x30, 1, 2] })));

golden!(
    goodbye_is_pinned,
    "goodbye",
    from_agent(v1::from_agent::Kind::Goodbye(v1::Goodbye {
        reason: "shutdown".to_owned(),
        detail: "SIGTERM".to_owned(),
    }))
);

golden!(
    welcome_is_pinned,
    "welcome",
    to_agent(v1::to_agent::Kind::Welcome(v1::Welcome {
        server: "nl-1".to_owned(),
        stored_sequence: 41,
        wall_ms: 1_700_000_000_456,
        aggregator_version: "0.1.0".to_owned(),
    }))
);

golden!(plan_is_pinned, "plan", to_agent(v1::to_agent::Kind::Plan(plan())));

golden!(ack_is_pinned, "ack", to_agent(v1::to_agent::Kind::Ack(v1::Ack { outbox_id: vec![0xa0; 16], sequence: 42 })));

golden!(
    close_is_pinned,
    "close",
    to_agent(v1::to_agent::Kind::Close(v1::Close { reason: "draining".to_owned(), detail: "upgrade".to_owned() }))
);

golden!(
    renewed_is_pinned,
    "renewed",
    to_agent(v1::to_agent::Kind::Renewed(v1::Renewed { certificate_der: vec![0x30, 3, 4], refused: String::new() }))
);

golden!(
    refused_renewal_is_pinned,
    "renewed_refused",
    to_agent(v1::to_agent::Kind::Renewed(v1::Renewed {
        certificate_der: Vec::new(),
        refused: "too many renewals: try again in 600 s".to_owned(),
    }))
);

golden!(
    enroll_request_is_pinned,
    "enroll_request",
    v1::EnrollRequest {
        token: "q1.id.secret.pin".to_owned(),
        csr_der: vec![0x30, 1, 2],
        agent_version: "0.1.0".to_owned(),
    }
);

golden!(
    enroll_response_is_pinned,
    "enroll_response",
    v1::EnrollResponse { server: "nl-1".to_owned(), certificate_der: vec![0x30, 3, 4], ca_der: vec![0x30, 5, 6] }
);

#[test]
fn the_pinned_plan_is_accepted() {
    let plan = quorate_proto::plan::from_wire(plan()).unwrap();
    assert_eq!((plan.targets.len(), plan.own.len()), (2, 1));
}

#[test]
fn the_pinned_outcomes_are_what_they_were() {
    assert_eq!(outcomes::unpack(&report().outcomes, 4).unwrap(), round());
}

#[test]
fn a_field_of_a_newer_version_is_passed_over_and_lives_on_in_the_bytes() {
    let known = report();
    let mut archived = known.encode_to_vec();
    // Field 200, length-delimited, "new"; and field 201, a varint.
    archived.extend([0xc2, 0x0c, 3, b'n', b'e', b'w', 0xc8, 0x0c, 1]);
    let read = v1::Report::decode(archived.as_slice()).unwrap();
    assert_eq!(read, known);
    // Encoding what was read does not bring it back: only the bytes that came have it.
    assert_eq!(read.encode_to_vec().len() + 9, archived.len());
}

#[test]
fn a_message_of_a_newer_version_is_read_as_no_message() {
    // Field 15 of the oneof: a kind that this build does not know.
    let read = v1::FromAgent::decode([0x7a, 2, 8, 1].as_slice()).unwrap();
    assert_eq!(read.kind, None);
}

#[test]
fn a_word_of_a_newer_version_reads_as_unspecified() {
    let hello = v1::Hello { purpose: 99, ..v1::Hello::default() };
    let read = v1::Hello::decode(hello.encode_to_vec().as_slice()).unwrap();
    assert_eq!(read.purpose(), v1::Purpose::Unspecified);
}

#[test]
fn the_fullest_messages_fit_their_limits() {
    let mut fullest = report();
    let failure = Outcome::Failed(Failure {
        operation: Operation::Read,
        kind: FailureKind::Timeout,
        after: Duration::from_secs(3_600),
        bytes: u32::MAX,
    });
    fullest.outcomes = outcomes::pack(&vec![failure; 40_000]);
    assert!(fullest.encoded_len() < REPORT_BYTES_MAX);
    let mut fullest = plan();
    let mut target = fullest.targets[0].clone();
    target.entry_point = "n".repeat(64);
    target.host = "h".repeat(100);
    target.sni = "s".repeat(100);
    fullest.targets = vec![target; quorate_core::plan::ProbePlan::TARGETS_MAX];
    assert!(fullest.encoded_len() < PLAN_BYTES_MAX);
}

fn from_agent(kind: v1::from_agent::Kind) -> v1::FromAgent {
    v1::FromAgent { kind: Some(kind) }
}

fn to_agent(kind: v1::to_agent::Kind) -> v1::ToAgent {
    v1::ToAgent { kind: Some(kind) }
}

fn round() -> Vec<Outcome> {
    vec![
        Outcome::Reached { latency: Duration::from_micros(61_200) },
        Outcome::Failed(Failure {
            operation: Operation::TlsHandshake,
            kind: FailureKind::ConnectionReset,
            after: Duration::from_millis(42),
            bytes: 0,
        }),
        Outcome::Failed(Failure {
            operation: Operation::Read,
            kind: FailureKind::Timeout,
            after: Duration::from_secs(15),
            bytes: 16_384,
        }),
        Outcome::Inconclusive(Reason::NotRun),
    ]
}

fn report() -> v1::Report {
    v1::Report {
        outbox_id: vec![0xa0; 16],
        sequence: 42,
        plan_version: 7,
        age_ms: 150,
        wall_ms: 1_700_000_060_000,
        outcomes: outcomes::pack(&round()),
        self_check: Some(v1::SelfCheck {
            health: v1::Health::Ok.into(),
            services: vec![v1::Service {
                name: "sing-box.service".to_owned(),
                finding: v1::Finding::Ok.into(),
                detail: "active".to_owned(),
            }],
            own: vec![v1::OwnEntryPoint {
                entry_point: "de-1/tls".to_owned(),
                finding: v1::Finding::Ok.into(),
                detail: String::new(),
                certificate_days_left: Some(61),
            }],
            metrics: Some(v1::Metrics {
                cpu_percent: Some(2.5),
                load_per_core: Some(0.25),
                memory_used_bytes: Some(200 << 20),
                memory_total_bytes: Some(512 << 20),
                disk_used_bytes: Some(3 << 30),
                disk_total_bytes: Some(10 << 30),
                network_received_bytes_per_s: Some(1_000.0),
                network_sent_bytes_per_s: Some(2_000.0),
                uptime_s: Some(86_400),
                open_files: Some(24),
                clock_offset_ms: Some(-12),
                agent_memory_bytes: Some(11 << 20),
                outbox_shed: Some(0),
                edge_file_faults: None,
            }),
        }),
    }
}

fn plan() -> v1::Plan {
    let target = |entry_point: &str, lane: &str, probe: &str, host: &str| v1::Target {
        entry_point: entry_point.to_owned(),
        server: entry_point[..4].to_owned(),
        lane: lane.to_owned(),
        probe: probe.to_owned(),
        host: host.to_owned(),
        port: 443,
        sni: "www.example.org".to_owned(),
        alpn: vec!["h2".to_owned(), "http/1.1".to_owned()],
        verify: "pin".to_owned(),
        pins: vec![vec![0x11; 32]],
        path: "/".to_owned(),
        expect_status: 200,
        min_bytes: 65_536,
        every: 10,
    };
    v1::Plan {
        version: 7,
        interval_ms: 60_000,
        min_spacing_ms: 2_000,
        targets: vec![
            target("nl-1/tls", "tcp4", "https", "192.0.2.7"),
            target("nl-1/quic", "udp6", "quic", "2001:db8::7"),
        ],
        own: vec![target("de-1/tls", "tcp4", "tls", "192.0.2.9")],
        controls: vec!["198.51.100.1:443".to_owned()],
        speed: 1,
    }
}

fn assert_reads<M: Message + Default + PartialEq + Debug>(pinned: &str, message: &M) {
    let bytes: Vec<u8> = pinned.lines().flat_map(unhex).collect();
    assert_eq!(&M::decode(bytes.as_slice()).unwrap(), message);
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for line in bytes.chunks(32) {
        for byte in line {
            write!(text, "{byte:02x}").unwrap();
        }
        text.push('\n');
    }
    text
}

fn unhex(line: &str) -> Vec<u8> {
    (0..line.len()).step_by(2).map(|at| u8::from_str_radix(&line[at..at + 2], 16).unwrap()).collect()
}
