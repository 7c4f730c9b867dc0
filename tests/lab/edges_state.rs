//! What an agent remembers of its edges cannot be read, or cannot be written: it connects as if it had never remembered
//! anything, and says so in one line.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use quorate_tests::clock::wait_for;
use quorate_tests::fleet::{EDGE_NEEDS, Fleet, server};
use quorate_tests::machine::with_namespaces_and;

const SOON: Duration = Duration::from_secs(60);

fn settled() -> Fleet {
    let fleet = Fleet::start_behind_edges(&[server("nl-1")], &[60, 5].map(Duration::from_millis));
    fleet.wait_settled("nl-1", 2, 1);
    fleet
}

#[test]
fn a_memory_that_is_damaged_or_of_another_version_is_ignored_and_made_anew() {
    with_namespaces_and(EDGE_NEEDS, || {
        let mut fleet = settled();
        let good = fs::read_to_string(fleet.remembered("nl-1")).unwrap();
        let other = good.replace("\"version\": 1", "\"version\": 2");
        assert_ne!(other, good);
        let cut = &good[..good.len() / 2];
        for (what, text) in [("empty", ""), ("cut off", cut), ("no JSON", "edges"), ("of another version", &other)] {
            eprintln!("trouble: what is remembered is {what}");
            fleet.take_agent("nl-1").end();
            let lines = fleet.agent_log("nl-1").lines().count();
            fleet.remember("nl-1", text);
            fleet.start_agent("nl-1");
            fleet.wait_all_report();
            fleet.wait_settled("nl-1", 2, 1);
            let log = fleet.agent_log("nl-1");
            let told = log.lines().skip(lines).filter(|line| line.contains("is ignored: beginning anew")).count();
            assert_eq!(told, 1, "{log}");
        }
        fleet.assert_no_report_missing(None);
    });
}

#[test]
fn a_memory_that_can_only_be_read_is_used() {
    with_namespaces_and(EDGE_NEEDS, || {
        let mut fleet = settled();
        fleet.take_agent("nl-1").end();
        let (folder, file) = (fleet.agent_data("nl-1"), fleet.remembered("nl-1"));
        let good = fs::read_to_string(&file).unwrap();
        let (lines, sessions) = (fleet.agent_log("nl-1").lines().count(), fleet.sessions("nl-1").len());
        assert_eq!(fleet.resolved("nl-1").first(), Some(&fleet.address(0)), "without a ranking it would begin there");
        fs::set_permissions(&file, Permissions::from_mode(0o400)).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o555)).unwrap();
        eprintln!("trouble: what is remembered is read-only");
        fleet.start_agent_bound_by_permissions("nl-1");
        wait_for("nl-1 has a session", SOON, || fleet.comes_from("nl-1"));
        wait_for("the trouble is told", SOON, || {
            let log = fleet.agent_log("nl-1");
            let told = log.lines().skip(lines).filter(|line| line.contains("edges are not remembered")).count();
            if told == 1 { Ok(()) } else { Err(format!("{told} times in:\n{log}")) }
        });
        fleet.wait_all_report();
        assert_eq!(fleet.comes_from("nl-1"), Ok(fleet.address(1)));
        assert_eq!(fleet.sessions("nl-1").len(), sessions + 1, "it went there at once");
        assert_eq!(fs::read_to_string(&file).unwrap(), good);
        fleet.assert_no_report_missing(None);
        fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
    });
}

#[test]
fn a_memory_that_cannot_be_written_keeps_no_agent_from_its_best_edge() {
    with_namespaces_and(EDGE_NEEDS, || {
        let mut fleet = settled();
        fleet.take_agent("nl-1").end();
        fs::remove_file(fleet.remembered("nl-1")).unwrap();
        let folder = fleet.agent_data("nl-1");
        fs::set_permissions(&folder, Permissions::from_mode(0o555)).unwrap();
        eprintln!("trouble: the data directory is read-only");
        fleet.start_agent_bound_by_permissions("nl-1");
        fleet.wait_all_report();
        wait_for("nl-1 goes by the best edge", SOON, || {
            let from = fleet.comes_from("nl-1")?;
            if from == fleet.address(1) { Ok(()) } else { Err(from.to_string()) }
        });
        wait_for("the trouble is told", SOON, || {
            let log = fleet.agent_log("nl-1");
            match log.matches("edges are not remembered for the next start").count() {
                1 => Ok(()),
                other => Err(format!("{other} times in:\n{log}")),
            }
        });
        assert!(!fleet.remembered("nl-1").exists());
        fleet.loses("nl-1", 1, Duration::from_secs(3), |fleet| fleet.edges[1].kill(&fleet.lab));
        fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
    });
}
