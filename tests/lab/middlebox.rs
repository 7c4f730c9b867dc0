//! The lab's own troubles do what they are called, and nothing else: a test that trusts a rule that does nothing proves
//! nothing.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::Duration;

use quorate_tests::machine::with_namespaces;
use quorate_tests::network::{Host, Lab};
use quorate_tests::trouble::Trouble;

const CLIENT: Host = Host(1);
const SERVER: Host = Host(2);
const PATIENCE: Duration = Duration::from_millis(600);
/// What the server answers with: well past what a freeze lets through.
const PAGE_BYTES: usize = 100_000;
/// The head of a TLS record with a ClientHello.
const HELLO: &[u8] = &[0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03];

/// What became of a connection.
#[derive(Debug, PartialEq, Eq)]
enum Got {
    NoConnection(ErrorKind),
    /// Bytes, and how it ended.
    Bytes(usize, Option<ErrorKind>),
}

const WHOLE_PAGE: Got = Got::Bytes(PAGE_BYTES, None);
const SILENCE: Got = Got::NoConnection(ErrorKind::TimedOut);

fn v4(host: Host) -> IpAddr {
    host.ipv4().into()
}

fn v6(host: Host) -> IpAddr {
    host.ipv6().into()
}

/// Serves the page on 443 of every host, both families, after the first bytes of a client; echoes on UDP 443.
fn serve(lab: &Lab, host: Host) {
    let (listener, udp) = lab
        .namespace(host)
        .within(|| (TcpListener::bind("[::]:443").unwrap(), UdpSocket::bind((host.ipv4(), 443)).unwrap()));
    thread::spawn(move || {
        for stream in listener.incoming() {
            thread::spawn(move || {
                let mut stream = stream.unwrap();
                let mut first = [0; 64];
                if stream.read(&mut first).is_ok_and(|bytes| bytes > 0) {
                    // The client may be cut off: that is what the test is about.
                    let _ = stream.write_all(&vec![b'.'; PAGE_BYTES]);
                }
            });
        }
    });
    thread::spawn(move || {
        let mut datagram = [0; 64];
        while let Ok((bytes, from)) = udp.recv_from(&mut datagram) {
            // As above.
            let _ = udp.send_to(&datagram[..bytes], from);
        }
    });
}

fn get(lab: &Lab, from: Host, to: IpAddr, say: &[u8]) -> Got {
    lab.namespace(from).within(|| {
        let mut stream = match TcpStream::connect_timeout(&SocketAddr::new(to, 443), PATIENCE) {
            Ok(stream) => stream,
            Err(error) => return Got::NoConnection(error.kind()),
        };
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(say).unwrap();
        let mut buffer = vec![0; 65_536];
        let mut bytes = 0;
        loop {
            match stream.read(&mut buffer) {
                Ok(0) => return Got::Bytes(bytes, None),
                Ok(more) => bytes += more,
                Err(error) => return Got::Bytes(bytes, Some(error.kind())),
            }
        }
    })
}

fn echoes(lab: &Lab, from: Host, to: Host) -> bool {
    lab.namespace(from).within(|| {
        let socket = UdpSocket::bind((from.ipv4(), 0)).unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        socket.send_to(b"echo", (to.ipv4(), 443)).unwrap();
        socket.recv(&mut [0; 8]).is_ok()
    })
}

fn lab_of_three() -> Lab {
    let lab = Lab::new(3);
    for host in lab.hosts() {
        serve(&lab, host);
    }
    lab
}

#[test]
fn hosts_see_each_other_and_nothing_else() {
    with_namespaces(|| {
        let lab = lab_of_three();
        for to in [v4(SERVER), v6(SERVER), v4(Host(3))] {
            assert_eq!(get(&lab, CLIENT, to, b"hi"), WHOLE_PAGE);
        }
        assert!(echoes(&lab, CLIENT, SERVER));
        let outside = get(&lab, CLIENT, "192.0.2.1".parse().unwrap(), b"hi");
        assert_eq!(outside, Got::NoConnection(ErrorKind::NetworkUnreachable));
    });
}

#[test]
fn a_trouble_has_one_direction_and_one_pair() {
    with_namespaces(|| {
        let mut lab = lab_of_three();
        lab.block(CLIENT, SERVER, Trouble::Drop);
        assert_eq!(get(&lab, CLIENT, v4(SERVER), b"hi"), SILENCE);
        assert_eq!(get(&lab, CLIENT, v6(SERVER), b"hi"), SILENCE);
        assert_eq!(get(&lab, SERVER, v4(CLIENT), b"hi"), WHOLE_PAGE);
        assert_eq!(get(&lab, CLIENT, v4(Host(3)), b"hi"), WHOLE_PAGE);
        lab.unblock();
        assert_eq!(get(&lab, CLIENT, v4(SERVER), b"hi"), WHOLE_PAGE);
    });
}

#[test]
fn a_border_has_two_sides() {
    with_namespaces(|| {
        let mut lab = lab_of_three();
        lab.border(&[CLIENT], &[SERVER], Trouble::Drop);
        assert_eq!(get(&lab, CLIENT, v4(SERVER), b"hi"), SILENCE);
        assert_eq!(get(&lab, SERVER, v4(CLIENT), b"hi"), SILENCE);
        assert_eq!(get(&lab, CLIENT, v4(Host(3)), b"hi"), WHOLE_PAGE);
    });
}

#[test]
fn a_reset_refuses_tcp_and_udp() {
    with_namespaces(|| {
        let mut lab = lab_of_three();
        lab.block(CLIENT, SERVER, Trouble::Reset);
        assert_eq!(get(&lab, CLIENT, v4(SERVER), b"hi"), Got::NoConnection(ErrorKind::ConnectionRefused));
        assert_eq!(get(&lab, CLIENT, v6(SERVER), b"hi"), Got::NoConnection(ErrorKind::ConnectionRefused));
        assert!(!echoes(&lab, CLIENT, SERVER));
    });
}

#[test]
fn a_client_hello_is_dropped_or_reset_and_other_talk_is_not() {
    with_namespaces(|| {
        let mut lab = lab_of_three();
        lab.block(CLIENT, SERVER, Trouble::ClientHelloDrop);
        assert_eq!(get(&lab, CLIENT, v4(SERVER), HELLO), Got::Bytes(0, Some(ErrorKind::WouldBlock)));
        assert_eq!(get(&lab, CLIENT, v6(SERVER), HELLO), Got::Bytes(0, Some(ErrorKind::WouldBlock)));
        assert_eq!(get(&lab, CLIENT, v4(SERVER), b"GET / HTTP/1.0\r\n\r\n"), WHOLE_PAGE);
        lab.unblock();
        lab.block(CLIENT, SERVER, Trouble::ClientHelloReset);
        assert_eq!(get(&lab, CLIENT, v4(SERVER), HELLO), Got::Bytes(0, Some(ErrorKind::ConnectionReset)));
    });
}

#[test]
fn a_freeze_comes_after_16_kb() {
    with_namespaces(|| {
        let mut lab = lab_of_three();
        lab.block(CLIENT, SERVER, Trouble::Freeze16k);
        let Got::Bytes(bytes, Some(ErrorKind::WouldBlock)) = get(&lab, CLIENT, v4(SERVER), HELLO) else {
            panic!("the connection froze");
        };
        assert!((4_000..20_000).contains(&bytes), "frozen after {bytes} bytes");
        assert_eq!(get(&lab, SERVER, v4(CLIENT), HELLO), WHOLE_PAGE);
    });
}

#[test]
fn udp_and_ipv6_are_broken_alone() {
    with_namespaces(|| {
        let mut lab = lab_of_three();
        lab.block(CLIENT, SERVER, Trouble::Udp443);
        assert!(!echoes(&lab, CLIENT, SERVER));
        assert_eq!(get(&lab, CLIENT, v4(SERVER), b"hi"), WHOLE_PAGE);
        lab.unblock();
        lab.block(CLIENT, SERVER, Trouble::Ipv6);
        assert_eq!(get(&lab, CLIENT, v6(SERVER), b"hi"), SILENCE);
        assert_eq!(get(&lab, CLIENT, v4(SERVER), b"hi"), WHOLE_PAGE);
        assert!(echoes(&lab, CLIENT, SERVER));
    });
}

#[test]
fn a_lab_leaves_nothing_behind() {
    with_namespaces(|| {
        let name = {
            let lab = lab_of_three();
            lab.namespace(CLIENT).name().to_owned()
        };
        assert!(!std::path::Path::new("/run/netns").join(name).exists());
    });
}
