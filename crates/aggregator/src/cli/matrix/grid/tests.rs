//! Pictures of the mesh, as a terminal without colour shows them.

#![allow(clippy::needless_raw_string_hashes, reason = "expect-test writes them so")]

use std::collections::BTreeMap;

use expect_test::{Expect, expect};

use super::super::picture::{Picture, Place};
use super::super::summary;
use super::drawn;
use crate::api::matrix::{Cell, Matrix, PairWord, Row};

/// A mesh: servers as `id country entry+entry`, and a character for each pair, as it is drawn.
fn mesh(servers: &[&str], cells: &[&str]) -> (Matrix, BTreeMap<String, Place>) {
    let words: Vec<Vec<&str>> = servers.iter().map(|server| server.split_whitespace().collect()).collect();
    let points: Vec<String> = words
        .iter()
        .flat_map(|words| words[2].split('+').map(|name| format!("{}/{name}", words[0])).collect::<Vec<_>>())
        .collect();
    let country = |words: &[&str]| (words[1] != "-").then(|| words[1].to_owned());
    let rows = words.iter().zip(cells).map(|(words, cells)| Row {
        witness: words[0].to_owned(),
        country: country(words),
        site: words[0].to_owned(),
        discredited: if words.contains(&"discredited") { vec!["tcp4".to_owned()] } else { Vec::new() },
        silent: words.contains(&"silent"),
        cells: cells.chars().filter(|mark| *mark != ' ').map(cell).collect(),
    });
    let place = |words: &Vec<&str>| {
        let own = points.iter().filter(|id| id.split('/').next() == Some(words[0]));
        let lane = |id: &String| (id.clone(), if id.ends_with("quic") { "udp4" } else { "tcp4" }.to_owned());
        (
            words[0].to_owned(),
            Place { country: country(words), site: words[0].to_owned(), lanes: own.map(lane).collect() },
        )
    };
    let places = words.iter().map(place).collect();
    (Matrix { evaluated_at_ms: 0, entry_points: points.clone(), rows: rows.collect(), next: None }, places)
}

fn cell(mark: char) -> Cell {
    let state = match mark {
        '.' => PairWord::Sees,
        'f' => PairWord::Failing,
        'X' => PairWord::Sustained,
        'H' => PairWord::Held,
        '?' => PairWord::Unknown,
        '-' => PairWord::NotProbed,
        mark => panic!("{mark} is no mark"),
    };
    Cell { state, streak: 0, latency_ms: None, failure: None, inconclusive: None }
}

fn plain(lines: &[String]) -> String {
    let text = lines.join("\n");
    let mut plain = String::new();
    let mut parts = text.split("\x1b[");
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        plain.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    plain + "\n"
}

fn check(mesh: &(Matrix, BTreeMap<String, Place>), width: usize, expected: &Expect) {
    let picture = Picture::of(&mesh.0, &mesh.1);
    let lines = drawn(&picture, width).unwrap_or_else(|| summary::drawn(&picture, width));
    let text = plain(&lines);
    assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
    expected.assert_eq(&text);
}

fn five() -> (Matrix, BTreeMap<String, Place>) {
    mesh(
        &["de-1 DE tls", "nl-1 NL tls", "nl-2 NL tls silent", "ru-1 RU tls discredited", "x - tls"],
        &["- X . . .", ". - . f .", ". H - . .", "? ? ? - .", ". X . . -"],
    )
}

#[test]
fn servers_stand_by_country_with_the_numbers_of_the_rows_over_the_columns() {
    check(
        &five(),
        80,
        &expect![[r#"
                     DE NL   RU
                     1  2 3  4  5
        DE  1 de-1   ╲  X ·  ·  ·
        NL  2 nl-1   ·  ╲ ·  f  ·
            3 nl-2 ~ ·  H ╲  ·  ·
        RU  4 ru-1 ! ?  ? ?  ╲  ·
        –   5 x      ·  X ·  ·  ╲

        · sees   f failing   X sustained   H held   ? unknown   ╲ itself
        blank: not probed
        ! sees too few to be believed: what it says (dim) is discarded
        ~ silent: its row says what was
    "#]],
    );
}

#[test]
fn a_narrow_terminal_takes_the_air_out() {
    check(
        &five(),
        24,
        &expect![[r#"
                     D N  R
                     E L  U
                     1 23 4 5
        DE  1 de-1   ╲ X· · ·
        NL  2 nl-1   · ╲· f ·
            3 nl-2 ~ · H╲ · ·
        RU  4 ru-1 ! ? ?? ╲ ·
        –   5 x      · X· · ╲

        · sees   f failing
        X sustained   H held
        ? unknown   ╲ itself
        blank: not probed
        ! sees too few to be
        believed: what it says
        (dim) is discarded
        ~ silent: its row says
        what was
    "#]],
    );
}

#[test]
fn what_does_not_fit_is_summed_up_by_country() {
    check(
        &five(),
        20,
        &expect![[r#"
                 DE   NL   RU
            DE       1/2    ·
            NL    ·  1/2    ·
            RU    ?    ?
            –     ·  1/2    ·

            By country: lost of
            probed; · nothing is
            lost; ? nothing is
            known; blank: not
            probed
            5 by 5 pairs do not
            fit into 20 columns,
            so they are summed
            up. One country is
            left out, in which
            nobody has lost
            more. Narrow it with
            --country, --witness
            or --target.
        "#]],
    );
}

#[test]
fn several_entry_points_of_a_server_stand_under_its_number_and_have_letters() {
    let mesh = mesh(&["a DE tls+quic", "b DE tls+trojan", "c NL tls discredited"], &["-- .. X", "X. -- .", ".X .. -"]);
    check(
        &mesh,
        80,
        &expect![[r#"
                  DE     NL
                  1  2   3
                  qt tr  t
        DE  1 a   ╲╲ ··  X
            2 b   ·X ╲╲  ·
        NL  3 c ! X· ··  ╲

        · sees   f failing   X sustained   H held   ? unknown   ╲ itself
        blank: not probed
        ! sees too few to be believed: what it says (dim) is discarded
        q quic   t tls   r trojan
    "#]],
    );
}

#[test]
fn a_part_of_the_mesh_names_the_servers_that_have_no_row() {
    let (mut matrix, places) = five();
    matrix.rows.retain(|row| row.witness == "de-1");
    check(
        &(matrix, places),
        80,
        &expect![[r#"
                     DE NL   RU
                     1  2 3  4  5
        DE  1 de-1   ╲  X ·  ·  ·

        · sees   f failing   X sustained   H held   ? unknown   ╲ itself
        blank: not probed
        2 nl-1   3 nl-2   4 ru-1   5 x
    "#]],
    );
}

#[test]
fn many_countries_do_not_fit_even_so_and_those_with_most_lost_are_kept() {
    let servers: Vec<String> = (0..26_u8).map(|n| format!("s{n:02} {}A tls", char::from(b'A' + n))).collect();
    let servers: Vec<&str> = servers.iter().map(String::as_str).collect();
    let row = |nth: usize| -> String {
        (0..26)
            .map(|column| {
                if column == nth {
                    '-'
                } else if column == 3 {
                    'X'
                } else {
                    '.'
                }
            })
            .collect()
    };
    let rows: Vec<String> = (0..26).map(row).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let (matrix, places) = mesh(&servers, &rows);
    let picture = Picture::of(&matrix, &places);
    assert!(drawn(&picture, 40).is_none());
    let text = plain(&summary::drawn(&picture, 40));
    assert!(text.lines().all(|line| line.chars().count() <= 40), "{text}");
    assert!(text.lines().next().unwrap_or_default().contains("DA"), "{text}");
    assert!(text.contains("countries are left out, in which"), "{text}");
}

#[test]
fn a_name_in_wide_letters_keeps_its_row_in_line() {
    let mesh = mesh(&["日本 JP tls", "nl-1 NL tls"], &["- .", ". -"]);
    check(
        &mesh,
        80,
        &expect![[r#"
                     JP NL
                     1  2
        JP  1 日本   ╲  ·
        NL  2 nl-1   ·  ╲

        · sees   f failing   X sustained   H held   ? unknown   ╲ itself
        blank: not probed
    "#]],
    );
}
