//! One edge: HAProxy on a host of its own, by the configuration that is shipped.

use std::fs;
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;

use super::delay::{self, Delay};
use super::swallow::Swallow;
use super::{PORT, shipped};
use crate::clock::wait_for;
use crate::machine::{is_rootless, program_path};
use crate::namespace::program;
use crate::network::{Host, Lab};
use crate::process::Process;

/// Whether it can be had here, or why not.
pub fn available() -> Result<(), String> {
    program_path("haproxy").map(drop).ok_or_else(|| "haproxy is not installed (apt-get install haproxy)".to_owned())
}

/// An edge. It ends with its handle.
pub struct Edge {
    /// Where it is.
    pub host: Host,
    /// How far away, if it is anywhere but here.
    pub delay: Option<Delay>,
    gateway: SocketAddr,
    stands: Stands,
}

/// What holds the edge's port.
enum Stands {
    Nothing,
    Haproxy(Process),
    Swallow(Swallow),
}

impl Edge {
    /// Starts one before a gateway; returns when it takes connections.
    pub fn start(lab: &Lab, host: Host, gateway: SocketAddr) -> Self {
        let mut edge = Self { host, delay: None, gateway, stands: Stands::Nothing };
        edge.restart(lab);
        edge
    }

    /// The same at a distance.
    pub fn start_at(lab: &Lab, host: Host, gateway: SocketAddr, one_way: Duration) -> Self {
        let delay = Some(Delay::start(lab, host, gateway, one_way));
        let gateway = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), delay::PORT);
        let mut edge = Self { host, delay, gateway, stands: Stands::Nothing };
        edge.restart(lab);
        edge
    }

    /// Its addresses.
    pub fn addresses(&self) -> [IpAddr; 2] {
        [self.host.ipv4().into(), self.host.ipv6().into()]
    }

    /// Starts it anew, whatever stood in its place.
    pub fn restart(&mut self, lab: &Lab) {
        self.clear(lab);
        let process = lab.spawn(self.host, "haproxy", self.command(lab));
        self.stands = Stands::Haproxy(process);
        self.wait_reloaded(lab, 0);
        self.knock(lab).expect("a worker that is up takes connections");
    }

    /// Ends it without warning: its sessions break, and it refuses.
    pub fn kill(&mut self, lab: &Lab) {
        self.clear(lab);
    }

    /// Ends it, and puts something in its place that takes connections and bytes and says nothing.
    pub fn swallow(&mut self, lab: &Lab) {
        self.clear(lab);
        eprintln!("the edge on host {} hangs", self.host.0);
        self.stands = Stands::Swallow(Swallow::start(lab, self.host));
    }

    /// Loads its configuration anew, as `systemctl reload` does; returns when a new worker has taken over.
    pub fn reload(&mut self, lab: &Lab) {
        let before = self.reloads(lab).expect("the master answers");
        self.haproxy_mut().signal(Signal::SIGUSR2);
        self.wait_reloaded(lab, before + 1);
    }

    /// What it logged.
    pub fn log(&mut self) -> String {
        self.haproxy_mut().log()
    }

    fn wait_reloaded(&mut self, lab: &Lab, times: u32) {
        wait_for(&format!("HAProxy on host {} is up", self.host.0), Duration::from_secs(20), || {
            self.haproxy_mut().assert_runs();
            let reloads = self.reloads(lab).map_err(|error| error.to_string())?;
            if reloads == times { Ok(()) } else { Err(format!("{reloads} reloads")) }
        });
    }

    /// How often it has reloaded, as its master tells. A master that answers has its workers, and listens to signals: one
    /// that comes sooner may be lost.
    fn reloads(&self, lab: &Lab) -> io::Result<u32> {
        let mut master = UnixStream::connect(self.master_socket(lab))?;
        master.set_read_timeout(Some(Duration::from_secs(1)))?;
        master.write_all(b"show proc\nquit\n")?;
        let mut table = String::new();
        master.read_to_string(&mut table)?;
        let of_master = table.lines().find_map(|line| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            if columns.get(1) == Some(&"master") { columns.get(2)?.parse().ok() } else { None }
        });
        of_master.ok_or_else(|| io::Error::other(format!("no master in {table}")))
    }

    fn master_socket(&self, lab: &Lab) -> PathBuf {
        lab.folder().join(format!("{}-haproxy.sock", self.host.0))
    }

    /// Opens its port to whoever comes next.
    fn clear(&mut self, lab: &Lab) {
        match std::mem::replace(&mut self.stands, Stands::Nothing) {
            Stands::Nothing => return,
            // Its workers go when they miss it.
            Stands::Haproxy(process) => process.kill(),
            Stands::Swallow(swallow) => drop(swallow),
        }
        wait_for(&format!("host {} refuses", self.host.0), Duration::from_secs(10), || match self.knock(lab) {
            Err(ErrorKind::ConnectionRefused) => Ok(()),
            other => Err(format!("{other:?}")),
        });
    }

    /// Opens a connection from the host itself and closes it.
    fn knock(&self, lab: &Lab) -> Result<(), ErrorKind> {
        let here = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), PORT);
        lab.namespace(self.host).within(|| TcpStream::connect(here)).map(drop).map_err(|error| error.kind())
    }

    fn haproxy_mut(&mut self) -> &mut Process {
        let Stands::Haproxy(process) = &mut self.stands else { panic!("HAProxy runs on host {}", self.host.0) };
        process
    }

    fn command(&self, lab: &Lab) -> Command {
        let path = lab.folder().join(format!("{}-haproxy.cfg", self.host.0));
        fs::write(&path, config()).expect("the lab's folder takes a file");
        let mut command = Command::new(program("haproxy"));
        // As Debian's unit runs it, but for the word to systemd: a master, and a worker that a reload replaces.
        command.args(["-W", "-db", "-f"]).arg(path).arg("-S").arg(self.master_socket(lab));
        command.env("GATEWAY", self.gateway.to_string());
        command
    }
}

/// The shipped configuration. The only user of a user namespace cannot become another: there it stays who it is.
fn config() -> String {
    let text = fs::read_to_string(shipped("haproxy.cfg")).expect("the repository has it");
    let is_other_user = |line: &str| matches!(line.split_whitespace().next(), Some("user" | "group"));
    let kept = |line: &&str| !(is_rootless() && is_other_user(line));
    text.lines().filter(kept).map(|line| format!("{line}\n")).collect()
}
