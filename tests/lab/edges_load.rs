//! Many at once: an edge that is reloaded under load, and a gateway full of silent sockets.

use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use quorate_tests::caller::Caller;
use quorate_tests::clock::{promised, wait_for};
use quorate_tests::edge::PORT;
use quorate_tests::fleet::{EDGE_NEEDS, Fleet, server};
use quorate_tests::machine::with_namespaces_and;
use quorate_tests::names::NAME;

const FIVE: [&str; 5] = ["nl-1", "nl-2", "de-1", "de-2", "ru-1"];
const RELOADS: usize = 5;
const SILENT: usize = 600;
const CALLERS: usize = 50;

/// Agents behind one edge, which is all that they have.
fn one_edge() -> (Fleet, Vec<Caller>) {
    let fleet = Fleet::start_behind_edges(&FIVE.map(server), &[Duration::ZERO]);
    let caller = |id: &str| Caller::with_identity_of(&fleet.agent_data(id), NAME);
    let callers = FIVE.map(caller).to_vec();
    (fleet, callers)
}

#[test]
fn haproxy_reloaded_under_load_ends_no_session_and_turns_nobody_away() {
    with_namespaces_and(EDGE_NEEDS, || {
        let (mut fleet, callers) = one_edge();
        let edge_address = SocketAddr::new(fleet.address(0), PORT);
        let newcomer = fleet.stranger();
        let (edge, lab) = (&mut fleet.edges[0], &fleet.lab);
        let from = lab.namespace(newcomer);
        let done = AtomicBool::new(false);
        let calls = thread::scope(|scope| {
            // Newcomers, one after the other from each of two, for as long as it is reloaded.
            let call = |caller: &Caller| {
                let mut calls = 0;
                while !done.load(Relaxed) {
                    from.within(|| caller.call(edge_address)).expect("nobody is turned away");
                    calls += 1;
                }
                calls
            };
            let calling: Vec<_> = callers[..2].iter().map(|caller| scope.spawn(move || call(caller))).collect();
            for _ in 0..RELOADS {
                edge.reload(lab);
            }
            done.store(true, Relaxed);
            calling.into_iter().map(|calling| calling.join().expect("nobody is turned away")).sum::<usize>()
        });
        eprintln!("  {calls} newcomers during {RELOADS} reloads");
        assert!(calls > RELOADS, "there was load");
        fleet.wait_all_report();
        for id in FIVE {
            let sessions = fleet.sessions(id);
            assert!(matches!(&sessions[..], [one] if one.closed.is_none()), "{id}: {sessions:?}");
        }
        fleet.assert_no_report_missing(None);
    });
}

#[test]
fn six_hundred_silent_sockets_through_one_edge_delay_fifty_agents_by_less_than_a_second() {
    with_namespaces_and(EDGE_NEEDS, || {
        let (fleet, callers) = one_edge();
        let edge_address = SocketAddr::new(fleet.address(0), PORT);
        let from = fleet.lab.namespace(fleet.stranger());
        let silent: Vec<TcpStream> =
            from.within(|| (0..SILENT).map(|_| TcpStream::connect(edge_address).unwrap()).collect());
        wait_for("the gateway has taken them all", Duration::from_secs(10), || {
            let taken = connections(&fleet, "accepted");
            if taken >= SILENT as u64 { Ok(()) } else { Err(format!("{taken}")) }
        });
        assert!(connections(&fleet, "shed") > 0, "it is full");

        // Fifty within a second, each with the identity of one of five.
        let started = Instant::now();
        let took: Vec<Duration> = thread::scope(|scope| {
            let calls: Vec<_> = (0..CALLERS)
                .map(|number| {
                    let caller = &callers[number % callers.len()];
                    let due = Duration::from_secs(1) * number as u32 / CALLERS as u32;
                    scope.spawn(move || {
                        thread::sleep(due.saturating_sub(started.elapsed()));
                        let begun = Instant::now();
                        let call = from.within(|| caller.call(edge_address)).expect("a good agent is let in");
                        drop(call);
                        begun.elapsed()
                    })
                })
                .collect();
            calls.into_iter().map(|call| call.join().expect("a good agent is let in")).collect()
        });
        let longest = took.into_iter().max().unwrap();
        eprintln!("  {longest:?} for the slowest of {CALLERS}, beside {SILENT} silent sockets");
        assert!(longest < promised(Duration::from_secs(1)), "{longest:?}");
        fleet.wait_all_report();
        for id in FIVE {
            assert_eq!(fleet.sessions(id).len(), 1, "the session of {id} has stood");
        }
        drop(silent);
    });
}

/// Connections to the gateway that went so.
fn connections(fleet: &Fleet, how: &str) -> u64 {
    fleet.metric(&format!("quorate_gateway_connections_total{{result=\"{how}\"}}"))
}
