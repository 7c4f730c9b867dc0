#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fs;

use super::npm::{Lacking, failure, is_of_the_way, version};
use super::{BUILT_FROM, inputs, is_built_from};

#[test]
fn the_pages_are_built_anew_when_what_they_are_built_from_changes() {
    let web = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = web.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        inputs::hash(web.path()).unwrap()
    };
    let first = write("src/app.ts", "a");
    assert_eq!(write("src/app.ts", "a"), first, "written again, the same");
    assert_eq!(write("node_modules/lit/index.js", "a"), first, "fetched");
    assert_eq!(write("dist/index.html", "a"), first, "made");
    assert_eq!(write("src/app.test.ts", "a"), first, "a test");
    let changed = write("src/app.ts", "b");
    assert_ne!(changed, first);
    assert_ne!(write("src/b.ts", ""), changed, "a new file, though it is empty");
}

#[test]
fn pages_without_their_note_are_not_taken_for_built() {
    let pages = tempfile::tempdir().unwrap();
    fs::write(pages.path().join(BUILT_FROM), "1").unwrap();
    assert!(!is_built_from(pages.path(), "1"), "a note, no page");
    fs::write(pages.path().join("index.html"), "").unwrap();
    assert!(is_built_from(pages.path(), "1"));
    assert!(!is_built_from(pages.path(), "2"));
}

#[test]
fn of_npms_lines_the_telling_one_is_shown() {
    let offline = "npm error code EAI_AGAIN\nnpm error syscall getaddrinfo\nnpm error errno EAI_AGAIN\n\
        npm error request to https://registry.npmjs.org/lit failed, reason: getaddrinfo EAI_AGAIN registry.npmjs.org\n\
        npm error A complete log of this run can be found in: /var/log/npm.log\n";
    let (code, line) = failure(offline);
    assert!(is_of_the_way(&code));
    assert!(line.starts_with("request to https://registry.npmjs.org/lit failed"), "{line}");

    let (code, line) =
        failure("npm error code EUSAGE\nnpm error\nnpm error `npm ci` can only install packages when in sync.\n");
    assert!(!is_of_the_way(&code));
    assert_eq!(line, "`npm ci` can only install packages when in sync.");
    assert_eq!(failure("Killed\n"), (String::new(), "Killed".to_owned()));
}

#[test]
fn versions_are_compared_as_numbers() {
    assert!(version("20.20.2") >= version("20.19"));
    assert!(version("9.9") < version("20.19"));
    assert!(version("") < version("20"), "a program that says nothing is too old");
}

#[test]
fn what_is_lacking_is_one_line_with_the_way_to_get_it() {
    for lacking in
        [Lacking::Program("node"), Lacking::Newer("18.1".into(), "20.19".into()), Lacking::Registry("no".into())]
    {
        let told = lacking.to_string();
        assert!(told.lines().count() == 1 && (told.contains("to get it") || told.contains("npm config")), "{told}");
    }
}
