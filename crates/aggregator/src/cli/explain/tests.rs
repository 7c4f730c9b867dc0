use super::{SessionView, whence};

fn session(edge: Option<&str>, claimed_addr: Option<&str>, claim: Option<&str>) -> String {
    whence(&SessionView {
        peer_addr: "198.51.100.7:5000".to_owned(),
        edge: edge.map(str::to_owned),
        claimed_addr: claimed_addr.map(str::to_owned),
        claim: claim.map(str::to_owned),
        dialled_addr: None,
        since_ms: 0,
        agent_version: "0.1.0".to_owned(),
    })
}

#[test]
fn a_measured_address_and_a_claimed_one_are_told_apart() {
    let since = crate::cli::print::time(0);
    assert_eq!(session(None, None, None), format!("198.51.100.7:5000 since {since}"));
    let edge = format!("198.51.100.7:5000, which is edge fra, since {since}");
    let claimed = Some("192.0.2.7:41074");
    assert_eq!(
        session(Some("fra"), claimed, Some("edge")),
        format!("{edge}; the edge says that it comes from 192.0.2.7:41074")
    );
    assert_eq!(
        session(Some("fra"), claimed, Some("unverified")),
        format!("{edge}; it is said to come from 192.0.2.7:41074 (unverified)")
    );
    assert_eq!(session(Some("fra"), None, Some("absent")), format!("{edge}; the edge does not say from where"));
}
