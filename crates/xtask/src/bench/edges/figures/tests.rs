#![allow(clippy::unwrap_used, reason = "a test that cannot set itself up has failed")]

use serde_json::json;

use super::Figures;

fn figures(took_ms: &[u64], lost: u64, doubled: u64, connect_ms: Option<u64>) -> Figures {
    let cell = json!({ "addresses": 2, "fault": "refused", "selection": true, "connect_ms": connect_ms });
    Figures::read(&json!({ "took_ms": took_ms, "lost": lost, "doubled": doubled, "free": [cell] }).to_string()).unwrap()
}

#[test]
fn the_median_is_the_middle_and_of_an_even_number_what_lies_between() {
    assert_eq!(figures(&[900, 100, 500], 0, 0, Some(1)).median_ms(), 500);
    assert_eq!(figures(&[900, 100, 500, 300], 0, 0, Some(1)).median_ms(), 400);
    assert_eq!(figures(&[900, 100, 500], 0, 0, Some(1)).worst_ms(), 900);
}

#[test]
fn a_report_lost_or_doubled_a_kill_without_an_answer_or_a_cell_without_a_figure_fails() {
    figures(&[1, 2], 0, 0, Some(1)).judge(2).unwrap();
    for (figures, runs, why) in [
        (figures(&[1, 2], 1, 0, Some(1)), 2, "1 reports lost"),
        (figures(&[1, 2], 0, 1, Some(1)), 2, "1 doubled"),
        (figures(&[1, 2], 0, 0, Some(1)), 3, "2 of 3 kills"),
        (figures(&[1, 2], 0, 0, None), 2, "1 cells"),
    ] {
        assert!(figures.judge(runs).unwrap_err().to_string().contains(why), "{why}");
    }
}

#[test]
fn what_was_not_measured_is_said_and_not_made_up() {
    let figures = figures(&[1], 0, 0, None);
    assert!(figures.shown().contains("not measured"));
    let shown = figures.to_json();
    assert!(shown["free"][0]["connect_ms"].is_null());
    assert_eq!((shown["runs"].as_u64(), shown["median_ms"].as_u64()), (Some(1), Some(1)));
}

#[test]
fn a_program_that_ended_without_figures_gives_none() {
    for printed in ["", "a word", r#"{"took_ms": [], "lost": 0, "doubled": 0, "free": []}"#] {
        assert!(Figures::read(printed).is_err(), "{printed}");
    }
}
