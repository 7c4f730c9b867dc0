//! A PostgreSQL server for tests: a direct child in a directory of its own, reached through a socket in it, so that no
//! port is taken.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::future::Future;
use std::io::Write;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use nix::unistd::{Gid, Uid, User};

/// A running server; ends with the value.
pub struct Server {
    programs: PathBuf,
    directory: tempfile::TempDir,
    child: Option<Child>,
    databases: AtomicU32,
}

/// Starts a server, or says that the test is skipped.
pub fn start_or_skip(test: &str) -> Option<Server> {
    let Some(programs) = programs() else {
        skipped(test, "no PostgreSQL: /usr/lib/postgresql/*/bin/postgres is absent");
        return None;
    };
    let server = Server::prepared(programs);
    Some(server.started())
}

/// Says so where a person sees it, and in the list that the test runner prints at the end.
#[allow(clippy::print_stderr, reason = "the test runner counts these lines")]
fn skipped(name: &str, reason: &str) {
    eprintln!("SKIPPED {name}: {reason}");
    if let Some(path) = std::env::var_os("QUORATE_SKIPPED") {
        let mut list = OpenOptions::new().append(true).create(true).open(path).unwrap();
        list.write_all(format!("{name}: {reason}\n").as_bytes()).unwrap();
    }
}

/// Runs a body on a runtime of its own, naming it, for a failure within a test of many bodies.
#[allow(clippy::print_stderr, reason = "shown beside the failure")]
pub fn told(name: &str, body: impl Future<Output = ()> + Send + 'static) {
    eprintln!("on PostgreSQL: {name}");
    runtime().block_on(async { tokio::spawn(body).await.unwrap() });
}

/// A runtime for tests that also start and stop servers, which block.
pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn programs() -> Option<PathBuf> {
    let mut versions: Vec<PathBuf> =
        std::fs::read_dir("/usr/lib/postgresql").ok()?.flatten().map(|version| version.path().join("bin")).collect();
    versions.retain(|programs| programs.join("postgres").exists());
    versions.sort();
    versions.pop()
}

impl Server {
    fn prepared(programs: PathBuf) -> Self {
        let directory = tempfile::Builder::new().prefix("qpg").tempdir().unwrap();
        let server = Self { programs, directory, child: None, databases: AtomicU32::new(0) };
        if let Some((uid, gid)) = account() {
            chown(server.directory.path(), Some(uid.as_raw()), Some(gid.as_raw())).unwrap();
        }
        let data = server.data();
        server.run(
            "initdb",
            [data.as_os_str(), "-N".as_ref(), "-A".as_ref(), "trust".as_ref(), "-U".as_ref(), "quorate".as_ref()],
        );
        server
    }

    pub fn started(mut self) -> Self {
        self.start();
        self
    }

    /// Starts it and waits until it answers.
    pub fn start(&mut self) {
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data()).arg("-k").arg(self.directory.path());
        command.args(["-c", "listen_addresses=", "-c", "max_connections=40", "-c", "shared_buffers=16MB"]);
        // A SIGKILL leaves what was written to the system; only a power cut would not, and no test cuts it.
        command.args(["-c", "fsync=off"]);
        let mut child = command.spawn().unwrap();
        runtime().block_on(async {
            let answers = async {
                while self.execute("SELECT 1").await.is_err() {
                    // The children of one that was killed may hold its memory a moment longer: the new one then ends.
                    if child.try_wait().unwrap().is_some() {
                        child = command.spawn().unwrap();
                    }
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(60), answers).await.expect("PostgreSQL answers");
        });
        self.child = Some(child);
    }

    /// SIGKILL: its own children notice and end.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// The URL of a new, empty database.
    pub fn new_database(&self) -> String {
        let name = format!("t{}", self.databases.fetch_add(1, Ordering::Relaxed));
        runtime().block_on(self.execute(&format!("CREATE DATABASE {name}"))).unwrap();
        self.url(&name)
    }

    fn url(&self, database: &str) -> String {
        format!("postgres://quorate:secret@localhost/{database}?host={}", self.directory.path().display())
    }

    async fn execute(&self, statement: &str) -> Result<(), sqlx::Error> {
        use sqlx::{AssertSqlSafe, Connection, Executor};
        let mut connection = sqlx::PgConnection::connect(&self.url("postgres")).await?;
        connection.execute(AssertSqlSafe(statement.to_owned())).await?;
        connection.close().await
    }

    fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    fn run<'a>(&self, program: &str, arguments: impl IntoIterator<Item = &'a OsStr>) {
        let output = self.command(program).stderr(Stdio::piped()).args(arguments).output().unwrap();
        assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.current_dir(Path::new("/")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Some((uid, gid)) = account() {
            command.uid(uid.as_raw()).gid(gid.as_raw());
        }
        command
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // SIGQUIT ends it at once, and its children with it.
            let pid = nix::unistd::Pid::from_raw(child.id().cast_signed());
            let _ = nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGQUIT);
            let _ = child.wait();
        }
    }
}

/// PostgreSQL refuses to run as root: root lends it an account.
fn account() -> Option<(Uid, Gid)> {
    if !Uid::effective().is_root() {
        return None;
    }
    let user = ["postgres", "nobody"].into_iter().find_map(|name| User::from_name(name).unwrap());
    user.map(|user| (user.uid, user.gid))
}
