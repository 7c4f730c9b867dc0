//! The pages in a real browser, against a real aggregator with the demo's fleet: one test here for each file of scenarios in
//! this folder, so that the test runner counts them. Each is played by Node.js and Chromium; a machine without them skips it
//! by name. Pictures and what a failed page looked like are kept in `target/browser`.

#![allow(clippy::print_stderr, reason = "tests tell what they do on standard error")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use quorate_tests::machine::{program_path, skip, workspace_binary};

#[test]
fn a_token_signs_in_and_the_fleet_is_there() {
    play("sign-in");
}

#[test]
fn a_block_is_seen_as_it_happens_and_leads_to_the_votes_behind_it() {
    play("block");
}

#[test]
fn a_drained_server_leaves_the_routes_before_everybodys_eyes() {
    play("drain");
}

#[test]
fn everything_is_found_with_the_keyboard_alone() {
    play("keyboard");
}

#[test]
fn a_badge_lives_in_a_panel_of_another_origin() {
    play("badge/badge");
}

#[test]
fn a_badge_elsewhere_shows_a_change_within_two_seconds() {
    play("elsewhere");
}

#[test]
fn a_channel_is_added_by_hand_and_its_test_arrives() {
    play("messages");
}

#[test]
fn a_trouble_that_is_over_is_gone_back_to() {
    play("history");
}

#[test]
fn pages_look_right_and_keep_nobody_out() {
    play("looks");
}

#[test]
fn pages_and_events_pass_a_reverse_proxy_below_a_prefix() {
    if program_path("nginx").is_none() {
        return skip("nginx is not installed (apt-get install nginx-light)");
    }
    play("prefix");
}

#[test]
fn the_pages_hold_what_they_are_checked_for() {
    let web = root().join("web");
    let Some(node) = node() else { return };
    let npm = node.with_file_name("npm");
    run(Command::new(npm).args(["run", "--silent", "check"]).current_dir(web));
}

#[test]
fn what_is_played_here_is_typed() {
    if let Some(node) = node() {
        let compiler = folder().join("node_modules/typescript/bin/tsc");
        run(Command::new(node).arg(compiler).arg("--noEmit").current_dir(folder()));
    }
}

/// Plays the scenarios of a file.
fn play(scenarios: &str) {
    let Some(node) = node() else { return };
    let Some(chromium) = program_path("chromium") else {
        return skip("chromium is not installed (apt-get install chromium)");
    };
    if !root().join("web/dist/index.html").is_file() {
        return skip("the aggregator was built without its pages (cargo xtask web)");
    }
    let kept = root().join("target/browser");
    std::fs::create_dir_all(&kept).expect("target can be written to");
    let mut command = Command::new(node);
    command.current_dir(folder());
    command.args(["--test", "--test-reporter=spec", "--test-concurrency=1"]).arg(format!("{scenarios}.test.js"));
    command.env("QUORATE_AGGREGATOR", workspace_binary("quorate-aggregator"));
    command.env("QUORATE_CHROMIUM", chromium).env("QUORATE_KEPT", kept);
    run(&mut command);
}

fn run(command: &mut Command) {
    let played = command.stdin(Stdio::null()).output().expect("node was found");
    let told = format!("{}{}", String::from_utf8_lossy(&played.stdout), String::from_utf8_lossy(&played.stderr));
    eprintln!("{told}");
    assert!(played.status.success(), "see above");
}

/// Node.js, where it and what the scenarios import are installed.
fn node() -> Option<PathBuf> {
    let Some(node) = program_path("node") else {
        skip("node is not installed (apt-get install nodejs npm)");
        return None;
    };
    if !folder().join("node_modules/playwright-core").is_dir() {
        skip("what the browser tests import is not installed (cargo xtask test does that)");
        return None;
    }
    Some(node)
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("browser")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
