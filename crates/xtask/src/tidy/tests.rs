//! The checks find what they are for, and nothing else.

use std::collections::BTreeSet;

use super::source::{Source, has_word};
use super::{dependencies, layers, licence, links, of_sources, packages, shape, text};

fn file(path: &str, text: &str) -> Source {
    Source { path: path.to_owned(), text: text.to_owned() }
}

fn found(path: &str, text: &str) -> Vec<String> {
    of_sources(&[file(path, text)]).iter().map(ToString::to_string).collect()
}

#[test]
fn a_clock_is_read_in_clock_rs_alone() {
    let read = "//! X.\nlet now = Instant::now();\n";
    assert_eq!(
        found("crates/agent/src/rounds.rs", read),
        ["crates/agent/src/rounds.rs:2: `Instant::now`: only clock.rs reads a clock; take the time as an argument"]
    );
    assert_eq!(found("crates/agent/src/clock.rs", read), [""; 0]);
    assert_eq!(found("crates/agent/src/rounds/tests.rs", read), [""; 0]);
    assert_eq!(found("crates/agent/src/rounds.rs", "//! X.\n// Instant::now is for clock.rs.\n"), [""; 0]);
}

#[test]
fn the_database_has_one_place() {
    let query = "//! X.\nuse sqlx::Row;\n";
    assert_eq!(layers::database(&file("crates/aggregator/src/api/mod.rs", query)).len(), 1);
    assert_eq!(layers::database(&file("crates/aggregator/src/store/reports.rs", query)).len(), 0);
}

#[test]
fn only_the_demo_sees_both_sides() {
    let agent = "//! X.\nuse quorate_agent::run;\n";
    assert_eq!(layers::sides(&file("crates/aggregator/src/engine.rs", agent)).len(), 1);
    assert_eq!(layers::sides(&file("crates/aggregator/src/demo/fleet.rs", agent)).len(), 0);
    let aggregator = "//! X.\nuse quorate_aggregator::serve;\n";
    assert_eq!(layers::sides(&file("crates/agent/src/session.rs", aggregator)).len(), 1);
}

#[test]
fn the_flow_is_one_way() {
    let reads = |module: &str, code: &str| layers::one_way(&file(&format!("crates/core/src/{module}.rs"), code)).len();
    assert_eq!(reads("streak", "use crate::policy::Policy;"), 0);
    assert_eq!(reads("streak", "use crate::quorum::Case;"), 1);
    assert_eq!(reads("fold/count", "use crate::{streak, verdict, balance};"), 2);
    assert_eq!(reads("quorum", "let case = crate::evaluate::verdicts();"), 1);
    assert_eq!(reads("newcomer", "use crate::policy::Policy;"), 1);
    assert_eq!(reads("fold/tests", "use crate::balance::slate;"), 0);
}

#[test]
fn core_names_no_std() {
    assert_eq!(layers::core_without_std(&file("crates/core/src/hold.rs", "use std::time::Duration;")).len(), 1);
    assert_eq!(layers::core_without_std(&file("crates/core/src/hold.rs", "use core::time::Duration;")).len(), 0);
    assert_eq!(layers::core_without_std(&file("crates/core/src/lib.rs", "//! X.\n")).len(), 1);
    let with_std = |above: &str| file("crates/core/src/lib.rs", &format!("#![no_std]\n{above}\nextern crate std;\n"));
    assert_eq!(layers::core_without_std(&with_std("#[cfg(test)]")).len(), 0);
    assert_eq!(layers::core_without_std(&with_std("extern crate alloc;")).len(), 1);
}

#[test]
fn a_file_has_a_header_and_an_end() {
    assert_eq!(shape::header(&file("a.rs", "fn main() {}\n")).len(), 1);
    assert_eq!(shape::length(&file("a.rs", &"x();\n".repeat(501))).len(), 1);
    assert_eq!(shape::length(&file("a.rs", &"x();\n".repeat(500))).len(), 0);
    assert!(shape::growing(&file("a.rs", &"x();\n".repeat(401))).is_some());
    assert_eq!(shape::length(&file("a.rs", &"// why\n\n".repeat(501))).len(), 0);
    assert_eq!(shape::unfinished(&file("a.rs", "todo!()")).len(), 1);
}

#[test]
fn fuzz_targets_are_tests_with_a_header() {
    assert!(file("fuzz/checks/header.rs", "").is_test());
    assert_eq!(shape::header(&file("fuzz/checks/header.rs", "fn holds() {}\n")).len(), 1);
    assert_eq!(shape::length(&file("fuzz/checks/header.rs", &"x();\n".repeat(501))).len(), 0);
}

#[test]
fn a_lock_file_names_no_banned_crate_and_one_registry() {
    let rules = dependencies::rules(
        r#"licenses.allow = []
        bans.deny = [{ crate = "openssl", reason = "TLS is rustls" }]"#,
    )
    .expect("rules");
    let package = |name: &str, source: &str| format!("[[package]]\nname = \"{name}\"\nversion = \"1.0.0\"\n{source}\n");
    let registry = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
    let found = |lock: &str| dependencies::of_lock_file(lock, &rules).expect("a lock file");
    assert_eq!(found(&(package("ours", "") + &package("ring", registry))), [""; 0]);
    assert_eq!(found(&package("openssl", registry)).len(), 1);
    assert_eq!(found(&package("ring", "source = \"git+https://host.test/ring\"")).len(), 1);
}

#[test]
fn white_space_at_a_lines_end_is_found() {
    let found = text::trailing_space(&file("a.md", "one\ntwo \n"));
    assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [2]);
}

#[test]
fn a_path_of_one_machine_is_told_from_a_part_of_a_url() {
    assert!(text::names_path("see `/home/me/x`", "/home/"));
    assert!(!text::names_path("https://host.test/home/x", "/home/"));
}

#[test]
fn a_word_is_whole() {
    assert!(has_word("use sqlx::Row;", "sqlx"));
    assert!(!has_word("no_sqlx_here", "sqlx"));
    assert!(has_word("std::fs", "std::"));
    assert!(!has_word("not_std::fs", "std::"));
}

#[test]
fn links_in_code_are_no_links() {
    let text = "[a](b.md) and [c](d.md#e \"title\")\n```\n[no](link)\n```\n";
    assert_eq!(links::links(text), [(1, "b.md"), (1, "d.md#e")]);
}

#[test]
fn a_licence_is_met_by_one_side_of_or_and_both_of_and() {
    let allowed: BTreeSet<String> = ["MIT", "ISC"].map(str::to_owned).into();
    for met in ["MIT", "GPL-3.0 OR MIT", "GPL-3.0/MIT", "MIT AND ISC", "(GPL-3.0 OR MIT) AND ISC", "MIT WITH x"] {
        assert!(licence::is_met(met, &allowed), "{met}");
    }
    for unmet in ["GPL-3.0", "MIT AND GPL-3.0", "", "MIT OR", "(MIT", "MIT ISC"] {
        assert!(!licence::is_met(unmet, &allowed), "{unmet}");
    }
}

#[test]
fn npms_packages_come_from_its_registry_with_a_hash_and_a_licence_that_may_be_shipped() {
    let licences = BTreeSet::from(["MIT".to_owned()]);
    let found = |package: &str| {
        let lock = format!(r#"{{"packages": {{"": {{}}, "node_modules/a": {package}}}}}"#);
        packages::of_lock_file(&lock, &licences).expect("a lock file")
    };
    assert_eq!(found(r#"{"license": "MIT", "integrity": "sha512-x"}"#), [""; 0]);
    assert_eq!(found(r#"{"license": "GPL-3.0", "integrity": "sha512-x", "dev": true}"#), [""; 0], "not shipped");
    assert_eq!(found(r#"{"license": "GPL-3.0", "integrity": "sha512-x"}"#).len(), 1);
    assert_eq!(found(r#"{"license": "MIT"}"#).len(), 1);
    let from = |host: &str| format!(r#"{{"license": "MIT", "integrity": "x", "resolved": "{host}a.tgz"}}"#);
    assert_eq!(found(&from("https://registry.npmjs.org/a/-/")), [""; 0]);
    assert_eq!(found(&from("http://mirror.internal:4873/")).len(), 1);
}
