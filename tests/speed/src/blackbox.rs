//! Prometheus' blackbox exporter: what knocks for those who have Prometheus.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use quorate_tests::vitals::Vitals;

use crate::exporter::{BLACKBOX, Exporter};
use crate::kind::Kind;
use crate::peers::{NAME, Peers};

/// `tcp` is the package's `tcp_connect`. `tls` is the same with a handshake, and with the peers' certificate for its proof.
fn modules(certificate: &Path) -> String {
    format!(
        "modules:\n  tcp:\n    prober: tcp\n  tls:\n    prober: tcp\n    tcp:\n      tls: true\n      tls_config:\n        \
         ca_file: {}\n        server_name: {NAME}\n",
        certificate.display(),
    )
}

/// The running exporter.
pub struct Blackbox(Exporter);

impl Blackbox {
    pub fn start(peers: &Peers) -> Self {
        Self(Exporter::start(BLACKBOX, |command, folder| {
            let (config, certificate) = (folder.path().join("blackbox.yml"), folder.path().join("peers.pem"));
            fs::write(&certificate, &peers.pem).unwrap();
            fs::write(&config, modules(&certificate)).unwrap();
            command.arg("--config.file").arg(config);
        }))
    }

    /// Has it knock once; how many bytes it says of that.
    pub fn knock(&mut self, kind: Kind, target: SocketAddr) -> usize {
        let answer = self.0.get(&format!("/probe?module={}&target={target}", kind.as_str()));
        assert!(answer.contains("\nprobe_success 1"), "{BLACKBOX} does not reach {target}:\n{answer}");
        answer.len()
    }

    /// Processor time that it has used since its start.
    pub fn cpu(&self) -> Duration {
        self.0.cpu()
    }

    /// What it holds.
    pub fn vitals(&self) -> Vitals {
        self.0.vitals()
    }
}
