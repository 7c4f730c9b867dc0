//! The name server of a lab: a real NSD with one zone, whose answers for one name a test changes while all runs.

use std::fs;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::clock::wait_for;
use crate::machine::program_path;
use crate::namespace::program;
use crate::network::{Host, Lab};
use crate::process::Process;

/// The zone.
pub const ZONE: &str = "lab.test";
/// The name whose addresses are given out: the gateway's, as agents know it.
pub const NAME: &str = "watch.lab.test";

/// Whether it can be had here, or why not.
pub fn available() -> Result<(), String> {
    program_path("nsd").map(drop).ok_or_else(|| "nsd is not installed (apt-get install nsd)".to_owned())
}

/// What the name server says when it is asked for [`NAME`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Says {
    /// These addresses, in A and AAAA records; none is an answer too.
    Addresses(Vec<IpAddr>),
    /// SERVFAIL.
    Failure,
}

/// The server. It ends with its handle.
pub struct NameServer {
    host: Host,
    folder: PathBuf,
    serial: u32,
    says: Says,
    process: Option<Process>,
}

impl NameServer {
    /// Starts it on port 53 of a host; returns when it answers.
    pub fn start(lab: &Lab, host: Host, addresses: &[IpAddr]) -> Self {
        let folder = lab.folder().join("nsd");
        fs::create_dir_all(&folder).expect("the lab's folder takes a folder");
        let place = folder.display();
        let config = format!(
            "server:\n  ip-address: {}\n  zonesdir: \"{place}\"\n  xfrdir: \"{place}\"\n  zonelistfile: \"{place}/list\"\n  \
             pidfile: \"\"\n  database: \"\"\n  xfrdfile: \"\"\n  username: \"\"\n  server-count: 1\n\
             remote-control:\n  control-enable: no\nzone:\n  name: {ZONE}\n  zonefile: zone\n",
            host.ipv4()
        );
        fs::write(folder.join("nsd.conf"), config).unwrap();
        let mut server = Self { host, folder, serial: 0, says: Says::Addresses(addresses.to_vec()), process: None };
        server.restart(lab);
        server
    }

    /// Changes what it says from now on; returns when it does.
    pub fn say(&mut self, lab: &Lab, says: Says) {
        eprintln!("names: {NAME} is {says:?}");
        self.says = says;
        self.write_zone();
        self.process.as_ref().expect("the name server runs").signal(Signal::SIGHUP);
        self.wait_until_it_says_so(lab);
    }

    /// The same for addresses.
    pub fn say_addresses(&mut self, lab: &Lab, addresses: &[IpAddr]) {
        self.say(lab, Says::Addresses(addresses.to_vec()));
    }

    /// Ends it without warning: nobody answers.
    pub fn kill(&mut self) {
        self.process.take().expect("the name server runs").kill();
    }

    /// Starts it again with what it said last.
    pub fn restart(&mut self, lab: &Lab) {
        self.write_zone();
        let mut command = Command::new(program("nsd"));
        command.arg("-d").arg("-c").arg(self.folder.join("nsd.conf"));
        self.process = Some(lab.spawn(self.host, "nsd", command));
        self.wait_until_it_says_so(lab);
    }

    /// A zone file that is none is the surest way to SERVFAIL: the zone is there, and nothing can be said of it.
    fn write_zone(&mut self) {
        self.serial += 1;
        let zone = match &self.says {
            Says::Failure => "this is no zone\n".to_owned(),
            Says::Addresses(addresses) => {
                let record = |address: &IpAddr| match address {
                    IpAddr::V4(address) => format!("{NAME}. A {address}\n"),
                    IpAddr::V6(address) => format!("{NAME}. AAAA {address}\n"),
                };
                let records: String = addresses.iter().map(record).collect();
                // The name stays there without addresses, so that an empty set is an empty answer and no missing name.
                format!(
                    "$TTL 1\n{ZONE}. SOA ns.{ZONE}. hostmaster.{ZONE}. {} 60 60 600 1\n{ZONE}. NS ns.{ZONE}.\n\
                     ns.{ZONE}. A {}\n{NAME}. TXT \"gateway\"\n{records}",
                    self.serial,
                    self.host.ipv4()
                )
            }
        };
        let new = self.folder.join("zone.new");
        fs::write(&new, zone).and_then(|()| fs::rename(&new, self.folder.join("zone"))).expect("as the config");
    }

    fn wait_until_it_says_so(&mut self, lab: &Lab) {
        let server = SocketAddr::new(self.host.ipv4().into(), 53);
        let wanted = match &self.says {
            Says::Failure => [Answer { code: SERVFAIL, records: 0 }; 2],
            Says::Addresses(addresses) => {
                let v6 = addresses.iter().filter(|address| address.is_ipv6()).count();
                [addresses.len() - v6, v6].map(|records| Answer { code: 0, records })
            }
        };
        let process = self.process.as_mut().expect("the name server runs");
        wait_for("the name server says so", Duration::from_secs(10), || {
            process.assert_runs();
            let asked = lab.namespace(self.host).within(|| [ask(server, 1), ask(server, 28)]);
            let [Ok(a), Ok(aaaa)] = asked else { return Err(format!("{asked:?}")) };
            if [a, aaaa] == wanted { Ok(()) } else { Err(format!("{a:?} and {aaaa:?}")) }
        });
    }
}

const SERVFAIL: u8 = 2;

/// As much of an answer as tells one state of the zone from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Answer {
    code: u8,
    records: usize,
}

/// Asks for the records of one type (1 is A, 28 is AAAA) of [`NAME`].
fn ask(server: SocketAddr, kind: u8) -> Result<Answer, String> {
    let failed = |error: std::io::Error| error.to_string();
    let socket = UdpSocket::bind((server.ip(), 0)).map_err(failed)?;
    socket.set_read_timeout(Some(Duration::from_millis(500))).map_err(failed)?;
    let mut question = vec![0, kind, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in NAME.split('.') {
        question.push(label.len() as u8);
        question.extend_from_slice(label.as_bytes());
    }
    question.extend_from_slice(&[0, 0, kind, 0, 1]);
    socket.send_to(&question, server).map_err(failed)?;
    let mut answer = [0; 512];
    let bytes = socket.recv(&mut answer).map_err(failed)?;
    let [0, id, _, flags, _, _, high, low, ..] = answer[..bytes] else { return Err("no DNS answer".to_owned()) };
    if id != kind {
        return Err("the answer to another question".to_owned());
    }
    Ok(Answer { code: flags & 0xf, records: usize::from(u16::from_be_bytes([high, low])) })
}
