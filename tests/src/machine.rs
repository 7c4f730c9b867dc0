//! What this machine lets a test do. A test that lacks something skips itself: it says so by name, tells `cargo xtask test`
//! through the file named by `QUORATE_SKIPPED`, and passes.

use std::env;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::unistd::geteuid;

/// Set in the copy of the test that runs inside a user namespace of its own.
const INSIDE: &str = "QUORATE_LAB_INSIDE";

/// Makes sure of something that a test needs, or says why it cannot be had.
pub type Need = fn() -> Result<(), String>;

/// Runs `body` where it may make network namespaces: here, as root, or in a copy of this test inside a user namespace.
/// Without either, or without the programs that the lab is built with, the test skips itself.
pub fn with_namespaces(body: impl FnOnce()) {
    with_namespaces_and(&[], body);
}

/// The same for a test that needs more. Needs are seen to outside the user namespace, which has no way to the network.
pub fn with_namespaces_and(needs: &[Need], body: impl FnOnce()) {
    if let Some(reason) = needs.iter().find_map(|need| need().err()) {
        return skip(&reason);
    }
    for (program, package) in [("ip", "iproute2"), ("nft", "nftables")] {
        if program_path(program).is_none() {
            return skip(&format!("{program} is not installed (apt-get install {package})"));
        }
    }
    if geteuid().is_root() {
        return body();
    }
    let may = unshared(Path::new("true")).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if !may {
        return skip("needs root or unprivileged user namespaces");
    }
    let myself = env::current_exe().expect("a running test has a path");
    let inside = unshared(Path::new("sh"))
        .args(["-c", "mount -t tmpfs none /run && mkdir /run/netns && exec \"$0\" \"$@\""])
        .arg(myself)
        .args(["--exact", &test_name(), "--nocapture"])
        .env(INSIDE, "1")
        .status();
    let status = inside.expect("unshare could be started a moment ago");
    assert!(status.success(), "failed inside its user namespace: see above");
}

/// Whether this is the copy inside a user namespace: root there is nobody elsewhere.
pub fn is_rootless() -> bool {
    env::var_os(INSIDE).is_some()
}

/// Says that the running test cannot run here, and why: something of this machine is missing.
pub fn skip(reason: &str) {
    tell_skipped("", reason);
}

/// Says that the running test has nothing to run on, which is nobody's fault: `QUORATE_NO_SKIPS` lets it pass.
pub fn skip_for_want_of_data(reason: &str) {
    tell_skipped("optional ", reason);
}

fn tell_skipped(kind: &str, reason: &str) {
    let name = test_name();
    eprintln!("skipped {name}: {reason}");
    if let Some(path) = env::var_os("QUORATE_SKIPPED") {
        let list = OpenOptions::new().append(true).create(true).open(path);
        let mut list = list.expect("the list of skipped tests can be written: xtask made it");
        // One write: several test processes append to the same file.
        list.write_all(format!("{kind}{name}: {reason}\n").as_bytes()).expect("the list of skipped tests takes a line");
    }
}

/// The running test's name. Test runners name its thread after it, or leave it on the main thread and set a variable.
pub fn test_name() -> String {
    let thread = std::thread::current().name().map(str::to_owned).filter(|name| name != "main");
    thread.or_else(|| env::var("NEXTEST_TEST_NAME").ok()).expect("a test's thread bears its name")
}

/// Where a program is. Debian keeps what administrators use where an ordinary PATH does not look.
pub fn program_path(program: &str) -> Option<PathBuf> {
    let path = env::var("PATH").unwrap_or_default();
    let folders = path.split(':').chain(["/usr/local/sbin", "/usr/sbin", "/sbin"]);
    folders.map(|folder| Path::new(folder).join(program)).find(|path| path.is_file())
}

/// A folder that is kept from run to run, for what is costly to fetch.
pub fn scratch_folder() -> PathBuf {
    build_folder().parent().expect("a profile's folder lies in target").join("lab")
}

/// A binary of this workspace, as the build of these tests left it. `cargo xtask test` builds both together.
pub fn workspace_binary(name: &str) -> PathBuf {
    let path = build_folder().join(name);
    assert!(path.is_file(), "{} is not built: cargo build -p {name}, or use cargo xtask test", path.display());
    path
}

/// `target/‹profile›`.
fn build_folder() -> PathBuf {
    let test = env::current_exe().expect("a running test has a path");
    test.ancestors().nth(2).expect("tests lie in target/‹profile›/deps").to_path_buf()
}

fn unshared(program: &Path) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    command.arg(program);
    command
}
