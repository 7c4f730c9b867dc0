//! The decoy behind a VPN server: nginx on loopback with a page long enough to outlast a freeze after 16 KB.

use std::fs;
use std::process::Command;
use std::time::Duration;

use crate::clock::wait_for;
use crate::http;
use crate::machine::program_path;
use crate::namespace::program;
use crate::network::{Host, Lab};
use crate::process::Process;

/// Where it listens on the host's loopback.
pub const PORT: u16 = 8080;
/// Length of its page: past the 64 KiB that an `https` probe waits for by default.
pub const PAGE_BYTES: usize = 100_000;

/// Whether it can be had here, or why not.
pub fn available() -> Result<(), String> {
    program_path("nginx").map(drop).ok_or_else(|| "nginx is not installed (apt-get install nginx-light)".to_owned())
}

/// Starts it on a host; returns when it answers.
pub fn start(lab: &Lab, host: Host) -> Process {
    let folder = lab.folder().join(format!("{}-nginx", host.0));
    fs::create_dir_all(&folder).expect("the lab's folder takes a folder");
    fs::write(folder.join("index.html"), "<!doctype html>".to_owned() + &".".repeat(PAGE_BYTES)).unwrap();
    let place = folder.display();
    // One process, so that ending it ends all of it.
    let config = format!(
        "daemon off; master_process off; pid {place}/pid; error_log stderr warn;\n\
         events {{ worker_connections 256; }}\n\
         http {{\n\
           access_log off; client_body_temp_path {place}; proxy_temp_path {place}; fastcgi_temp_path {place};\n\
           uwsgi_temp_path {place}; scgi_temp_path {place}; types {{ text/html html; }}\n\
           server {{ listen 127.0.0.1:{PORT}; root {place}; }}\n\
         }}\n"
    );
    let path = folder.join("nginx.conf");
    fs::write(&path, config).unwrap();
    let mut command = Command::new(program("nginx"));
    command.arg("-e").arg("stderr").arg("-p").arg(&folder).arg("-c").arg(&path);
    let mut process = lab.spawn(host, "nginx", command);
    wait_for(&format!("nginx answers on host {}", host.0), Duration::from_secs(10), || {
        process.assert_runs();
        let answer = lab.namespace(host).within(|| http::get(([127, 0, 0, 1], PORT).into(), "/", None))?;
        if answer.body.len() >= PAGE_BYTES { Ok(()) } else { Err(format!("a page of {} bytes", answer.body.len())) }
    });
    process
}
