//! `down` only for what was seen to be down.
#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use quorate_proto::v1::{Finding, Health, OwnEntryPoint, Service};

use super::processes::Processes;
use super::{doubt, health, services};
use crate::config::{ServiceCheck, ServiceHow};

fn service(finding: Finding) -> Service {
    Service { name: "vpn".to_owned(), finding: finding.into(), detail: String::new() }
}

fn own(finding: Finding) -> OwnEntryPoint {
    OwnEntryPoint { finding: finding.into(), ..OwnEntryPoint::default() }
}

#[test]
fn a_server_is_down_when_a_named_service_is_or_no_own_entry_point_answers() {
    assert_eq!(health(true, &[service(Finding::Ok), service(Finding::Failed)], &[]), Health::Down);
    assert_eq!(health(true, &[], &[own(Finding::Failed), own(Finding::Failed)]), Health::Down);
    assert_eq!(health(true, &[], &[own(Finding::Failed), own(Finding::Ok)]), Health::Ok);
    assert_eq!(health(true, &[], &[]), Health::Ok);
}

#[test]
fn what_may_not_be_looked_at_is_never_down() {
    assert_eq!(health(true, &[service(Finding::Unknown)], &[own(Finding::Unknown)]), Health::Ok);
    assert_eq!(health(true, &[], &[own(Finding::Failed), own(Finding::Unknown)]), Health::Ok);
    assert_eq!(health(false, &[service(Finding::Failed)], &[]), Health::Ok);
}

#[test]
fn what_failed_while_the_agent_was_stopped_is_unknown() {
    let mut seen = [own(Finding::Failed), own(Finding::Ok)];
    doubt(&mut seen);
    assert_eq!(seen.each_ref().map(OwnEntryPoint::finding), [Finding::Unknown, Finding::Ok]);
}

#[tokio::test]
async fn processes_and_commands_are_looked_at() {
    let check = |how| ServiceCheck { name: "s".to_owned(), how };
    let own_name = std::fs::read_to_string("/proc/self/comm").unwrap().trim().to_owned();
    let checks = [
        check(ServiceHow::Process(own_name)),
        check(ServiceHow::Process("no-such-process".to_owned())),
        check(ServiceHow::Command("true".to_owned())),
        check(ServiceHow::Command("exit 3".to_owned())),
        check(ServiceHow::Command("/no/such/program".to_owned())),
    ];
    let found = services::look(&checks, &mut Processes::default()).await;
    let findings: Vec<Finding> = found.iter().map(Service::finding).collect();
    assert_eq!(findings, [Finding::Ok, Finding::Failed, Finding::Ok, Finding::Failed, Finding::Unknown]);
}
