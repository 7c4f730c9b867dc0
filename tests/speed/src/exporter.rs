//! An exporter of Prometheus as Debian ships it, scraped as Prometheus does it: over one connection that is kept.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use quorate_tests::clock::{cpu_of, wait_for};
use quorate_tests::machine::program_path;
use quorate_tests::process::{Process, Spawn};
use quorate_tests::vitals::Vitals;
use tempfile::TempDir;

/// The one that looks at its host.
pub const NODE: &str = "prometheus-node-exporter";
/// The one that knocks.
pub const BLACKBOX: &str = "prometheus-blackbox-exporter";

const PATIENCE: Duration = Duration::from_secs(30);

/// A running exporter, and the connection to it.
pub struct Exporter {
    process: Process,
    connection: BufReader<TcpStream>,
    _folder: TempDir,
}

/// Which version is installed.
pub fn version(program: &str) -> String {
    let output = Command::new(path(program)).arg("--version").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let version = text.split("version ").nth(1).and_then(|rest| rest.split([' ', ',']).next());
    version.unwrap_or("unknown").to_owned()
}

fn path(program: &str) -> PathBuf {
    program_path(program).unwrap_or_else(|| panic!("{program} is not installed (apt-get install {program})"))
}

impl Exporter {
    /// Starts it; `configure` adds arguments, and may write files into the folder that it is given.
    pub fn start(program: &str, configure: impl FnOnce(&mut Command, &TempDir)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        // It cannot be asked which port the system gave it.
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
        let mut command = Command::new(path(program));
        command.arg("--web.listen-address").arg(free.to_string());
        configure(&mut command, &folder);
        let log = folder.path().join("log");
        let mut process = Spawn { name: program.to_owned(), log, command }.start();
        let connection = wait_for(&format!("{program} answers"), PATIENCE, || {
            process.assert_runs();
            TcpStream::connect(free).map_err(|error| error.to_string())
        });
        connection.set_nodelay(true).unwrap();
        Self { process, connection: BufReader::new(connection), _folder: folder }
    }

    /// One answer's body.
    pub fn get(&mut self, path: &str) -> String {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nUser-Agent: Prometheus\r\n\r\n");
        self.connection.get_mut().write_all(request.as_bytes()).unwrap();
        let mut length = None;
        loop {
            let line = self.line();
            if line.is_empty() {
                break;
            }
            if let Some(told) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = Some(told.trim().parse().unwrap());
            }
        }
        match length {
            Some(length) => self.bytes(length),
            None => self.chunks(),
        }
    }

    /// Processor time that it has used since its start.
    pub fn cpu(&self) -> Duration {
        cpu_of(self.process.pid())
    }

    /// What it holds.
    pub fn vitals(&self) -> Vitals {
        Vitals::of(self.process.pid())
    }

    fn chunks(&mut self) -> String {
        let mut body = String::new();
        loop {
            let size = usize::from_str_radix(&self.line(), 16).unwrap();
            body += &self.bytes(size);
            self.line();
            if size == 0 {
                return body;
            }
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.connection.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    fn bytes(&mut self, count: usize) -> String {
        let mut bytes = vec![0; count];
        self.connection.read_exact(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}
