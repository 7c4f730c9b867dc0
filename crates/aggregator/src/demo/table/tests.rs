use expect_test::expect;

use super::*;
use crate::demo::script::SCRIPT;

#[test]
fn the_table_says_who_is_how_and_what_is_going_on() {
    let door = |id: &str, state, seen_by, accused_by| Door { id: id.to_owned(), state, seen_by, accused_by };
    let blocked = Seen {
        country: "NL".to_owned(),
        since_ms: 2_345,
        doors: vec![door("nl-1/quic", State::Unreachable, 3, 4), door("nl-1/tls", State::Unreachable, 3, 4)],
        ..Seen::plain("nl-1", Status::Unreachable)
    };
    let blind = Seen {
        country: "RU".to_owned(),
        half_blind: Some((3, 7)),
        since_ms: 61_000,
        doors: vec![door("ru-2/quic", State::Clear, 7, 0), door("ru-2/tls", State::Clear, 7, 0)],
        ..Seen::plain("ru-2", Status::Ok)
    };
    let trusted = Seen { country: "FI".to_owned(), verifier: true, ..Seen::plain("fi-1", Status::NoData) };
    let scene = Scene {
        servers: vec![trusted, blocked, blind],
        routes: vec![Offered { id: "world".to_owned(), delivered: 14, of: 16, last_resort: false }],
    };
    let caption =
        Caption { running: Duration::from_secs(83), round: Duration::from_millis(1500), url: "http://127.0.0.1:8080/" };
    expect![[r"

        01:23  a round takes 1.5 s  http://127.0.0.1:8080/
        SERVER  COUNTRY STATUS         QUIC            TLS             FOR
        fi-1    FI ✓    ○ no_data      0 ms
        nl-1    NL      ✕ unreachable  3 see, 4 not    3 see, 4 not    2 s
        ru-2    RU      ● ok           7 see it        7 see it        1 min  ◔ half-blind: cannot see 3 of 7
        route world     delivers 14 of 16 entry points
        now: the border closes: nothing from KZ and RU reaches nl-1"]]
    .assert_eq(&lines(&scene, &SCRIPT[..1], caption, Paint::Plain).join("\n"));
}

#[test]
fn colour_only_repeats_the_word() {
    let scene = Scene { servers: vec![Seen::plain("nl-1", Status::Down)], routes: Vec::new() };
    let caption = Caption { running: Duration::ZERO, round: Duration::from_secs(1), url: "" };
    let plain = lines(&scene, &[], caption, Paint::Plain).join("\n");
    let coloured = lines(&scene, &[], caption, Paint::Colour).join("\n");
    assert!(coloured.contains("\x1b[31m"));
    assert_eq!(coloured.replace("\x1b[31m", "").replace("\x1b[0m", ""), plain);
}
