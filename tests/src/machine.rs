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

/// The same for a test that needs more.
pub fn with_namespaces_and(needs: &[Need], body: impl FnOnce()) {
    match ground(needs) {
        Err(reason) => skip(&reason),
        Ok(Ground::Here) => body(),
        Ok(Ground::Inside(mut copy)) => {
            let status = copy.args(["--exact", &test_name(), "--nocapture"]).status();
            let status = status.expect("unshare could be started a moment ago");
            assert!(status.success(), "failed inside its user namespace: see above");
        }
    }
}

/// Where this program may make network namespaces.
pub enum Ground {
    /// Here: it is root.
    Here,
    /// In a copy of it inside a user namespace, which lacks its arguments yet.
    Inside(Command),
}

/// Finds out, and sees to `needs`: outside the user namespace, which has no way to the network. The error is one line that
/// says what is missing.
pub fn ground(needs: &[Need]) -> Result<Ground, String> {
    if let Some(reason) = needs.iter().find_map(|need| need().err()) {
        return Err(reason);
    }
    for (program, package) in [("ip", "iproute2"), ("nft", "nftables")] {
        if program_path(program).is_none() {
            return Err(format!("{program} is not installed (apt-get install {package})"));
        }
    }
    if geteuid().is_root() {
        return Ok(Ground::Here);
    }
    let may = unshared(Path::new("true")).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    if !may {
        return Err("needs root or unprivileged user namespaces".to_owned());
    }
    let myself = env::current_exe().expect("a running program has a path");
    let mut copy = unshared(Path::new("sh"));
    copy.args(["-c", "mount -t tmpfs none /run && mkdir /run/netns && exec \"$0\" \"$@\""])
        .arg(myself)
        .env(INSIDE, "1");
    Ok(Ground::Inside(copy))
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
    let program = env::current_exe().expect("a running program has a path");
    program.ancestors().nth(2).expect("it lies in target/‹profile›/deps, or examples").to_path_buf()
}

fn unshared(program: &Path) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    command.arg(program);
    command
}
