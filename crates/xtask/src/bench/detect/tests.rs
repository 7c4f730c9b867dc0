//! From what the scoreboard prints to what people see.

#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

use serde_json::{Value, json};

use super::board::Board;
use super::compare::{Winner, duel, lost};
use super::{figure, page, plot, table};

/// A row in which every figure is 0, but these.
fn row(detector: &str, tuning: &str, figures: &[(&str, [f64; 3])]) -> Value {
    let mut row = json!({"scenario": "S1a", "detector": detector, "tuning": tuning, "seeds": 30, "faults": 30,
                         "undetected": 0, "incidents": 30,
                         "detection_s": {"p50": 200.0, "p50_95": [190.0, 210.0], "p99": 240.0, "p99_95": [230.0, 250.0]}});
    for name in [
        "wrong_side",
        "false_removals_per_server_month",
        "healthy_minutes_withheld",
        "dead_minutes_served",
        "flips_per_incident",
        "heal_s",
        "empty_routes",
        "abstained",
    ] {
        row[name] = json!(0.0);
        row[format!("{name}_95")] = json!([0.0, 0.0]);
    }
    for (name, [value, low, high]) in figures {
        row[*name] = json!(value);
        row[format!("{name}_95")] = json!([low, high]);
    }
    row
}

fn board(rows: &[Value]) -> Board {
    let printed = json!({
        "rows": rows,
        "scenarios": [{"name": "S1a", "title": "crash", "about": "One dies.", "runs": 30}],
        "goals": [{"goal": "no_wrong_side", "scenario": "S1a", "measured": 0.1, "allowed": 0.0, "rival": null, "met": false},
                  {"goal": "quick_detection", "scenario": "S1a", "measured": null, "allowed": 249.0, "rival": null, "met": false},
                  {"goal": "no_empty_route", "scenario": "S1a", "measured": 0.0, "allowed": 0.0, "rival": null, "met": true}],
        "cpu_s": {"tapes": 2.0, "detectors": {"quorate": 1.0, "ceph": 3.0}},
    });
    Board::read(&format!("something else\n{printed}\n")).unwrap()
}

fn duel_of(ours: [f64; 3], theirs: [f64; 3]) -> Winner {
    let rows = ["documented", "equal_detection"]
        .map(|tuning| [row("quorate", tuning, &[("heal_s", ours)]), row("ceph", tuning, &[("heal_s", theirs)])]);
    let board = board(&rows.concat());
    let winner = duel(&board, "S1a", figure::HEALING).unwrap().winner();
    let is_lost = lost(&board).iter().any(|duel| duel.figure == figure::HEALING);
    assert_eq!(is_lost, winner == Winner::Rival);
    winner
}

#[test]
fn somebody_wins_where_the_intervals_do_not_touch() {
    assert_eq!(duel_of([1.0, 0.5, 1.5], [2.0, 1.6, 2.4]), Winner::Ours);
    assert_eq!(duel_of([1.0, 0.5, 1.6], [2.0, 1.6, 2.4]), Winner::Nobody);
    assert_eq!(duel_of([3.0, 2.4, 3.5], [2.0, 1.6, 2.4]), Winner::Nobody);
    assert_eq!(duel_of([3.0, 2.5, 3.5], [2.0, 1.6, 2.4]), Winner::Rival);
}

#[test]
fn the_best_rival_is_another_one_for_each_figure_and_no_part_of_ours() {
    let rows = [
        row("quorate", "equal_detection", &[("heal_s", [9.0, 9.0, 9.0]), ("flips_per_incident", [9.0, 9.0, 9.0])]),
        row("quorate-R5-sustain", "equal_detection", &[]),
        row("ceph", "equal_detection", &[("heal_s", [3.0, 3.0, 3.0]), ("flips_per_incident", [4.0, 4.0, 4.0])]),
        row("rapid", "equal_detection", &[("heal_s", [4.0, 4.0, 4.0]), ("flips_per_incident", [3.0, 3.0, 3.0])]),
        row("majority", "documented", &[]),
    ];
    let board = board(&rows);
    let rival = |figure| duel(&board, "S1a", figure).unwrap().rival.detector.clone();
    assert_eq!((rival(figure::HEALING), rival(figure::FLIPS)), ("ceph".to_owned(), "rapid".to_owned()));
}

#[test]
fn what_was_never_found_is_told_so_and_loses() {
    let mut never = row("ceph", "equal_detection", &[]);
    never["detection_s"] = json!({"p50": null, "p50_95": [null, null], "p99": null, "p99_95": [null, null]});
    let board = board(&[row("quorate", "equal_detection", &[]), never]);
    let duel = duel(&board, "S1a", figure::DETECTION_P50).unwrap();
    assert_eq!((duel.winner(), duel.figure.shown(duel.theirs.value)), (Winner::Ours, "never".to_owned()));
}

#[test]
fn a_table_names_who_wins_and_a_goal_by_how_much_it_is_missed() {
    let rows = [
        row("quorate", "equal_detection", &[("wrong_side", [0.5, 0.4, 0.6])]),
        row("ceph", "equal_detection", &[("wrong_side", [0.1, 0.0, 0.2]), ("heal_s", [7.0, 6.0, 8.0])]),
    ];
    let board = board(&rows);
    let overview = table::overview(&board);
    assert!(overview.contains("| 50 % (10 % ceph) ! "), "{overview}");
    assert!(overview.contains("| 0 s (7 s ceph) * "), "{overview}");
    let goals = table::goals(&board);
    assert!(goals.contains("| 0 of 1 ") && goals.contains("S1a: 10 %, allowed 0 %"), "{goals}");
    assert!(goals.contains("S1a: never, allowed 249 s") && goals.contains("| 1 of 1 "), "{goals}");
    let lost = table::others_win(&board);
    assert!(
        lost.starts_with("- S1a, wrong-side blame: ceph 10 % (0 % to 20 %), Quorate 50 % (40 % to 60 %)."),
        "{lost}"
    );
}

#[test]
fn figures_are_shown_with_the_digits_that_count() {
    let shown = [0.0, 0.001_23, 0.012_34, 0.5, 12.345, 249.0].map(|value| figure::FLIPS.shown(value));
    assert_eq!(shown, ["0", "0.0012", "0.012", "0.5", "12.3", "249"]);
}

#[test]
fn a_part_of_the_page_is_replaced_and_the_rest_is_kept() {
    let page = "before\n<!-- figures: goals -->\nold\n<!-- end: goals -->\nafter\n";
    let new = page::replaced(page, "goals", "new\n").unwrap();
    assert_eq!(new, "before\n<!-- figures: goals -->\n\nnew\n\n<!-- end: goals -->\nafter\n");
    assert_eq!(page::replaced(&new, "goals", "new\n").unwrap(), new);
    let error = page::replaced(page, "cpu", "").unwrap_err().to_string();
    assert_eq!(error, "docs/detection.md: has no line `<!-- figures: cpu -->`");
}

#[test]
fn plots_are_well_formed_and_run_nothing() {
    let rows = ["documented", "equal_detection"].map(|tuning| {
        [
            row("quorate", tuning, &[]),
            row("quorate-R3-floor", tuning, &[]),
            row("a<b", tuning, &[("wrong_side", [0.5, 0.4, 0.6])]),
        ]
    });
    for (name, svg) in plot::all(&board(&rows.concat())) {
        let count = |text: &str| svg.matches(text).count();
        assert_eq!((count("<svg"), count("</svg>"), count("<script")), (1, 1, 0), "{name}");
        assert_eq!(count("<text"), count("</text>"), "{name}");
        assert!(!svg.contains("a<b") && svg.contains("prefers-color-scheme:dark"), "{name}");
    }
}
