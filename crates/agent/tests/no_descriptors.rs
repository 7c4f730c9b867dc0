//! A process of its own, because it takes its descriptors away.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use quorate_agent::limits::AddressLimits;
use quorate_agent::probe::{Knocker, OwnAddresses, public_roots};
use quorate_core::lane::Lane;
use quorate_core::outcome::{Outcome, Reason};
use quorate_core::probe::{Probe, ProbeKind};

#[tokio::test]
async fn a_witness_without_descriptors_says_nothing_about_its_peers() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let knocker = Knocker {
        sources: Vec::new(),
        addresses: AddressLimits::NONE,
        own: OwnAddresses::Allowed,
        roots: public_roots(),
        speed: 1,
        clock_offset_ms: None,
    };
    let tcp = Probe::new(ProbeKind::Tcp, "127.0.0.1", port);
    assert!(matches!(knocker.knock(&tcp, Lane::Tcp4).await.outcome, Outcome::Reached { .. }));
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    // The first three are taken: nothing new fits below the limit.
    setrlimit(Resource::RLIMIT_NOFILE, 3, hard).unwrap();
    for (kind, lane) in [(ProbeKind::Tcp, Lane::Tcp4), (ProbeKind::Tls, Lane::Tcp4), (ProbeKind::Quic, Lane::Udp4)] {
        let probe = Probe::new(kind, "127.0.0.1", port);
        let outcome = knocker.knock(&probe, lane).await.outcome;
        assert_eq!(outcome, Outcome::Inconclusive(Reason::NoResources), "{kind}");
    }
}
