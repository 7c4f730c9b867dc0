//! The shipped rules on the aggregator's host: edges reach the gateway, strangers do not, and the aggregator's own
//! connections are not touched. On the path that Docker forwards, and on a host without Docker.

use std::io::{Read as _, Write as _};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::thread;
use std::time::Duration;

use quorate_tests::container::{self, Container};
use quorate_tests::edge::{self, PORT, rules};
use quorate_tests::machine::{with_namespaces, with_namespaces_and};
use quorate_tests::namespace::{Namespace, program};
use quorate_tests::network::{Host, Lab};

const AGGREGATOR: Host = Host(1);
const EDGE: Host = Host(2);
const STRANGER: Host = Host(3);
const PATIENCE: Duration = Duration::from_millis(600);

/// What a file that takes a container's word for its own port would miss.
const OWN_PORT: u16 = 7443;

/// A ruleset that filters where people look first, and where nothing that Docker forwards comes by.
const INPUT_ALONE: &str = "table inet decoration {\n\
    chain input { type filter hook input priority filter; policy accept;\n\
     tcp dport { 7443, 8443 } drop\n\
    }\n\
   }\n";

fn both(host: Host) -> [IpAddr; 2] {
    [host.ipv4().into(), host.ipv6().into()]
}

/// Says one word to whoever connects, and hears one back.
fn listen(namespace: &Namespace, port: u16) {
    let any = SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), port);
    let listener = namespace.within(|| TcpListener::bind(any).unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || {
                let mut stream = stream.unwrap();
                // A client that is cut off is what some tests are about.
                let _ = stream.write_all(b"word");
                let _ = stream.read_to_end(&mut Vec::new());
            });
        }
    });
}

/// Whether a connection opens and carries a word.
fn reaches(from: &Namespace, to: IpAddr) -> bool {
    from.within(|| {
        let Ok(mut stream) = TcpStream::connect_timeout(&SocketAddr::new(to, PORT), PATIENCE) else { return false };
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.read_exact(&mut [0; 4]).is_ok()
    })
}

fn load(lab: &Lab) {
    lab.namespace(AGGREGATOR).nft(&rules::for_edges(&both(EDGE)));
}

#[test]
fn behind_docker_only_edges_reach_the_gateway() {
    with_namespaces(|| {
        let lab = Lab::new(3);
        let gateway = Container::start(&lab, AGGREGATOR, "lan0", PORT, OWN_PORT);
        listen(gateway.namespace(), OWN_PORT);
        let (edge, stranger) = (lab.namespace(EDGE), lab.namespace(STRANGER));

        lab.namespace(AGGREGATOR).nft(INPUT_ALONE);
        for to in both(AGGREGATOR) {
            assert!(reaches(stranger, to), "{to}: a rule in `input` is decoration for what Docker forwards");
        }

        load(&lab);
        for to in both(AGGREGATOR) {
            assert!(reaches(edge, to), "an edge reaches {to}");
            assert!(!reaches(stranger, to), "a stranger does not reach {to}");
        }
    });
}

#[test]
fn behind_docker_the_gateways_own_connections_to_the_same_port_pass() {
    with_namespaces(|| {
        let lab = Lab::new(3);
        let gateway = Container::start(&lab, AGGREGATOR, "docker0", PORT, PORT);
        for host in [EDGE, STRANGER] {
            listen(lab.namespace(host), PORT);
        }
        load(&lab);
        // To an edge that stands in the rules, and to one that is not in them yet.
        for to in [both(EDGE), both(STRANGER)].concat() {
            assert!(reaches(gateway.namespace(), to), "the container reaches {to}");
            assert!(reaches(lab.namespace(AGGREGATOR), to), "its host reaches {to}");
        }
    });
}

#[test]
fn a_container_that_is_reached_by_its_own_address_is_guarded_too() {
    with_namespaces(|| {
        let lab = Lab::new(3);
        let gateway = Container::start(&lab, AGGREGATOR, "br-0123456789ab", 443, PORT);
        listen(gateway.namespace(), PORT);
        for (host, via) in [(EDGE, AGGREGATOR), (STRANGER, AGGREGATOR)] {
            let (v4, v6) = (via.ipv4(), via.ipv6());
            lab.namespace(host).ip(&format!("route add 172.17.0.0/16 via {v4}\nroute add fd00:d0c::/64 via {v6}\n"));
        }
        load(&lab);
        for to in [IpAddr::from(container::IPV4), container::IPV6.into()] {
            assert!(reaches(lab.namespace(EDGE), to), "an edge reaches {to}");
            assert!(!reaches(lab.namespace(STRANGER), to), "a stranger does not reach {to}");
        }
    });
}

#[test]
fn another_container_with_the_same_port_inside_is_left_alone() {
    with_namespaces(|| {
        let lab = Lab::new(3);
        // It publishes its 8443 as 443: whoever dials 443 has nothing to do with the gateway.
        let other = Container::start(&lab, AGGREGATOR, "br-0123456789ab", 443, PORT);
        listen(other.namespace(), PORT);
        load(&lab);
        let published = SocketAddr::new(AGGREGATOR.ipv4().into(), 443);
        let opened = lab.namespace(STRANGER).within(|| TcpStream::connect_timeout(&published, PATIENCE));
        assert!(opened.is_ok(), "{opened:?}");
    });
}

#[test]
fn without_docker_only_edges_reach_the_gateway() {
    with_namespaces(|| {
        let lab = Lab::new(3);
        for host in lab.hosts() {
            listen(lab.namespace(host), PORT);
        }
        load(&lab);
        for to in both(AGGREGATOR) {
            assert!(reaches(lab.namespace(EDGE), to), "an edge reaches {to}");
            assert!(!reaches(lab.namespace(STRANGER), to), "a stranger does not reach {to}");
            assert!(reaches(lab.namespace(AGGREGATOR), to), "the host reaches itself at {to}");
        }
        for to in [both(EDGE), both(STRANGER)].concat() {
            assert!(reaches(lab.namespace(AGGREGATOR), to), "the aggregator reaches {to}");
        }
    });
}

#[test]
fn a_session_outlives_its_edge_in_the_rules_and_a_new_one_does_not_begin() {
    with_namespaces(|| {
        let lab = Lab::new(3);
        listen(lab.namespace(AGGREGATOR), PORT);
        load(&lab);
        let gateway = SocketAddr::new(AGGREGATOR.ipv4().into(), PORT);
        let mut session = lab.namespace(EDGE).within(|| TcpStream::connect_timeout(&gateway, PATIENCE)).unwrap();
        lab.namespace(AGGREGATOR).nft(&rules::for_edges(&[]));
        assert!(!reaches(lab.namespace(EDGE), gateway.ip()), "an edge without its line is a stranger");
        session.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut said = [0; 4];
        session.read_exact(&mut said).unwrap();
        session.write_all(b"more").unwrap();
        session.shutdown(std::net::Shutdown::Write).unwrap();
        assert_eq!(session.read(&mut said).unwrap(), 0, "what was said arrived, and the end was answered");
    });
}

#[test]
fn the_shipped_rules_are_taken_as_they_are_and_twice() {
    with_namespaces(|| {
        let lab = Lab::new(1);
        let checked = |how: &str| {
            let mut nft = Command::new(program("nft"));
            nft.arg(how).arg(rules::path());
            let output = lab.output(Host(1), nft);
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        checked("-cf");
        assert_eq!(lab.namespace(Host(1)).nft_list(), "", "a check changes nothing");
        checked("-f");
        let once = lab.namespace(Host(1)).nft_list();
        checked("-f");
        assert_eq!(lab.namespace(Host(1)).nft_list(), once);
    });
}

#[test]
fn the_shipped_configuration_is_taken_as_it_is_once_it_is_told_of_the_gateway() {
    with_namespaces_and(&[edge::available], || {
        let check = |gateway: Option<&str>| {
            let mut haproxy = Command::new(program("haproxy"));
            haproxy.arg("-c").arg("-f").arg(edge::shipped("haproxy.cfg")).env_remove("GATEWAY");
            haproxy.envs(gateway.map(|gateway| ("GATEWAY", gateway)));
            let output = haproxy.output().unwrap();
            (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
        };
        for gateway in ["192.0.2.10:8443", "[2001:db8::10]:8443"] {
            let (taken, said) = check(Some(gateway));
            assert!(taken, "{gateway}: {said}");
            assert!(!said.contains("WARNING"), "{gateway}: {said}");
        }
        let (taken, said) = check(None);
        assert!(!taken && said.contains("/etc/default/haproxy"), "{said}");
    });
}
