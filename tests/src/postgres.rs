//! A PostgreSQL server of a test's own: its data in a temporary folder, itself a direct child.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nix::unistd::{Pid, User, chown, geteuid};

use crate::clock::wait_for;
use crate::machine::{is_rootless, program_path};
use crate::network::{Host, Lab};
use crate::process::Process;

const PORT: u16 = 5432;

/// Whether it can be had here, or why not.
pub fn available() -> Result<(), String> {
    if !geteuid().is_root() || is_rootless() {
        return Err("PostgreSQL refuses to run as the only user of a user namespace: run as root".to_owned());
    }
    owner()?;
    programs().map(drop)
}

/// A server on a host's loopback. Its data outlives the process, and ends with this.
pub struct Postgres {
    folder: tempfile::TempDir,
    programs: PathBuf,
    host: Host,
    process: Option<Process>,
}

impl Postgres {
    /// Makes an empty cluster and starts it.
    pub fn start(lab: &Lab, host: Host) -> Self {
        let programs = programs().expect("a test that uses it has made sure of PostgreSQL");
        // Not in the lab's folder, which only root may enter.
        let folder = tempfile::Builder::new().prefix("quorate-postgres-").tempdir().unwrap();
        let owner = owner().expect("as above");
        chown(folder.path(), Some(owner.uid), Some(owner.gid)).unwrap();
        let mut postgres = Self { folder, programs, host, process: None };
        let mut initdb = postgres.program("initdb");
        initdb.args(["--no-sync", "--username=quorate", "--auth=trust", "--encoding=UTF8", "--no-locale", "--pgdata"]);
        initdb.arg(postgres.data());
        let output = initdb.output().expect("initdb can be started");
        assert!(output.status.success(), "initdb failed: {}", String::from_utf8_lossy(&output.stderr));
        postgres.restart(lab);
        postgres
    }

    /// Starts it on what it left behind.
    pub fn restart(&mut self, lab: &Lab) {
        let mut command = self.program("postgres");
        command.arg("-D").arg(self.data()).arg("-p").arg(PORT.to_string());
        command.args(["-c", "listen_addresses=127.0.0.1", "-c", "max_connections=60", "-k"]).arg(self.folder.path());
        let mut process = lab.spawn(self.host, "postgres", command);
        wait_for("postgres answers", Duration::from_secs(20), || {
            process.assert_runs();
            // It takes connections before it has recovered, and refuses them with a word.
            let asked = lab.namespace(self.host).within(|| self.psql("SELECT 1").output());
            let asked = asked.map_err(|error| error.to_string())?;
            if asked.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&asked.stderr).into_owned()) }
        });
        self.process = Some(process);
    }

    /// Ends it without warning. Its own children end when they miss it; the next start waits for that.
    pub fn kill(&mut self) {
        self.process.take().expect("postgres runs").kill();
    }

    /// Where it is, for programs on its host.
    pub fn url(&self) -> String {
        self.url_through(PORT)
    }

    /// The same by way of a relay that listens on another port of the host.
    pub fn url_through(&self, port: u16) -> String {
        format!("postgres://quorate@127.0.0.1:{port}/postgres")
    }

    /// Where it listens on its host.
    pub fn addr(&self) -> SocketAddr {
        SocketAddr::from((Ipv4Addr::LOCALHOST, PORT))
    }

    /// The process that all others of it are children of.
    pub fn pid(&self) -> Pid {
        self.process.as_ref().expect("postgres runs").pid()
    }

    /// Asks it something; rows come as lines, columns parted by `|`.
    pub fn psql(&self, query: &str) -> Command {
        let mut psql = self.program("psql");
        psql.args(["--no-psqlrc", "--tuples-only", "--no-align", "--command", query]).arg(self.url());
        psql
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn program(&self, name: &str) -> Command {
        let owner = owner().expect("made sure of at the start");
        let mut command = Command::new(self.programs.join(name));
        command.uid(owner.uid.as_raw()).gid(owner.gid.as_raw()).current_dir(self.folder.path());
        command
    }
}

/// It refuses to run as root. Debian makes a user for it; any other that owns nothing will do.
fn owner() -> Result<User, String> {
    let found = ["postgres", "nobody"].into_iter().find_map(|name| User::from_name(name).ok().flatten());
    found.ok_or_else(|| "there is neither a user postgres nor nobody to run PostgreSQL as".to_owned())
}

/// The folder with both programs: Debian keeps them by version, out of PATH.
fn programs() -> Result<PathBuf, String> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let folders = versions.map(|version| version.path().join("bin"));
    let in_path = program_path("postgres").and_then(|path| path.parent().map(Path::to_path_buf));
    let mut whole =
        folders.chain(in_path).filter(|folder| folder.join("initdb").is_file() && folder.join("postgres").is_file());
    whole.next().ok_or_else(|| "PostgreSQL is not installed (apt-get install postgresql)".to_owned())
}
