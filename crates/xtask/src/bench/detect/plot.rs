//! The plots of docs/detection.md, as SVG that is drawn here: no scripts, and colours for light and dark pages.

#![allow(clippy::cast_precision_loss, reason = "places in a picture, far below 2^52")]

use super::board::{Board, EQUAL, OURS, Row, TUNINGS};
use super::figure::{self, Figure};
use svg::{Anchor, Drawing};

mod svg;

/// Scenarios whose detection times are drawn, if they were played: crashes and blocks.
const CRASHES_AND_BLOCKS: [&str; 6] = ["S1a", "S1b", "S4", "S11a", "S11b", "S18"];
/// Where the false removals of the trade are counted, best first: much loss, and nothing wrong.
const NOISY: [&str; 4] = ["S19d", "S19c", "S19b", "S19a"];
/// Where its detection times are.
const CRASH: &str = "S1a";

/// All of them, by file name.
pub fn all(board: &Board) -> Vec<(&'static str, String)> {
    vec![
        (
            "wrong-side.svg",
            wrong_side(board, "Wrong-side blame: share of incidents", |row| row.detector == OURS || row.is_rival()),
        ),
        ("ablations.svg", wrong_side(board, "The same for Quorate without one of its rules", |row| !row.is_rival())),
        ("detection.svg", detection(board)),
        ("trade.svg", trade(board)),
    ]
}

/// A square for each detector in each scenario that had an incident.
fn wrong_side(board: &Board, title: &str, wanted: fn(&Row) -> bool) -> String {
    const CELL: (f64, f64) = (34.0, 20.0);
    const LEFT: f64 = 250.0;
    const TOP: f64 = 170.0;
    let share = |row: &Row| row.figure(figure::WRONG_SIDE).map(|share| share.value);
    let detectors: Vec<&str> = board.scenarios.first().map_or_else(Vec::new, |scenario| {
        board.of(&scenario.name, EQUAL).filter(|row| wanted(row)).map(|row| row.detector.as_str()).collect()
    });
    let scenarios: Vec<_> = board
        .scenarios
        .iter()
        .filter(|scenario| board.of(&scenario.name, EQUAL).any(|row| share(row).is_some()))
        .collect();
    let size = (LEFT + CELL.0 * detectors.len() as f64 + 60.0, TOP + CELL.1 * scenarios.len() as f64 + 10.0);
    let mut drawing = Drawing::new(size, title);
    for (nth, detector) in detectors.iter().enumerate() {
        drawing.slanted((LEFT + CELL.0 * (nth as f64 + 0.5), TOP - 8.0), detector);
    }
    for (line, scenario) in scenarios.iter().enumerate() {
        let y = TOP + CELL.1 * line as f64;
        drawing.text((LEFT - 8.0, y + 14.0), Anchor::End, &format!("{} · {}", scenario.name, scenario.title));
        for (nth, detector) in detectors.iter().enumerate() {
            let Some(share) = board.row(&scenario.name, EQUAL, detector).and_then(share) else { continue };
            let x = LEFT + CELL.0 * nth as f64;
            drawing.cell((x + 1.0, y + 1.0), (CELL.0 - 2.0, CELL.1 - 2.0), share);
            let text = if share == 0.0 { "0".to_owned() } else { format!("{:.0}", (100.0 * share).max(1.0)) };
            drawing.text((x + CELL.0 / 2.0, y + 14.0), Anchor::Middle, &text);
        }
    }
    drawing.finish()
}

/// From the median to p99, a line for each detector in each scenario.
fn detection(board: &Board) -> String {
    const LEFT: f64 = 150.0;
    const WIDTH: f64 = 520.0;
    const LINE: f64 = 16.0;
    let groups: Vec<_> = CRASHES_AND_BLOCKS
        .iter()
        .filter_map(|name| board.scenarios.iter().find(|scenario| scenario.name == *name))
        .map(|scenario| {
            let rows: Vec<&Row> = board.of(&scenario.name, EQUAL).filter(|row| !row.is_ablation()).collect();
            (scenario, rows)
        })
        .collect();
    let of = |row: &Row, figure: Figure| row.figure(figure).map(|measured| measured.value);
    let longest = groups.iter().flat_map(|(_, rows)| rows).filter_map(|row| of(row, figure::DETECTION_P99));
    let longest = longest.filter(|s| s.is_finite()).fold(60.0_f64, f64::max);
    let step = [30.0, 60.0, 120.0, 300.0, 600.0].into_iter().find(|step| longest / step <= 10.0).unwrap_or(1200.0);
    let end = (longest / step).ceil() * step;
    let x = |s: f64| LEFT + WIDTH * s.min(end) / end;
    let lines: usize = groups.iter().map(|(_, rows)| rows.len() + 2).sum();
    let height = 60.0 + LINE * lines as f64 + 20.0;
    let title = "Detection time in seconds, from the median (dot) to p99, all tuned to Quorate's median on crashes";
    let mut drawing = Drawing::new((LEFT + WIDTH + 70.0, height), title);
    let mut tick = 0.0;
    while tick <= end {
        drawing.line((x(tick), 45.0), (x(tick), height - 20.0), "grid");
        drawing.text((x(tick), height - 6.0), Anchor::Middle, &format!("{tick:.0}"));
        tick += step;
    }
    let mut y = 60.0;
    for (scenario, rows) in groups {
        drawing.text((LEFT - 120.0, y), Anchor::Start, &format!("{} · {}", scenario.name, scenario.title));
        for row in rows {
            y += LINE;
            drawing.text((LEFT - 8.0, y + 4.0), Anchor::End, &row.detector);
            let class = if row.detector == OURS { "ours" } else { "rival" };
            let (Some(p50), Some(p99)) = (of(row, figure::DETECTION_P50), of(row, figure::DETECTION_P99)) else {
                continue;
            };
            if p50.is_finite() {
                drawing.line((x(p50), y), (x(p99), y), class);
                drawing.dot((x(p50), y), class);
            }
            if p99.is_infinite() {
                drawing.text(
                    (x(end) + 6.0, y + 4.0),
                    Anchor::Start,
                    if p50.is_finite() { "p99 never" } else { "never" },
                );
            }
        }
        y += 2.0 * LINE;
    }
    drawing.finish()
}

/// How fast, against how often for nothing: a dot for each detector and tuning.
fn trade(board: &Board) -> String {
    const LEFT: f64 = 80.0;
    const SIDE: (f64, f64) = (560.0, 320.0);
    const TOP: f64 = 50.0;
    let Some(noisy) = NOISY.iter().find(|name| board.scenarios.iter().any(|scenario| scenario.name == **name)) else {
        return Drawing::new((10.0, 10.0), "").finish();
    };
    let mut points: Vec<(f64, f64, &Row)> = Vec::new();
    for (tuning, _) in TUNINGS {
        for row in board.of(noisy, tuning).filter(|row| !row.is_ablation() && (row.detector != OURS || tuning == EQUAL))
        {
            let crash = board.row(CRASH, tuning, &row.detector).and_then(|row| row.figure(figure::DETECTION_P50));
            if let (Some(crash), Some(removals)) = (crash, row.figure(figure::FALSE_REMOVALS))
                && crash.value.is_finite()
            {
                points.push((crash.value, removals.value, row));
            }
        }
    }
    let slowest = points.iter().map(|point| point.0).fold(60.0_f64, f64::max);
    let end = (slowest / 60.0).ceil() * 60.0;
    let least = points.iter().map(|point| point.1).filter(|value| *value > 0.0).fold(1.0_f64, f64::min);
    let most = points.iter().map(|point| point.1).fold(1.0_f64, f64::max);
    let (low, high) = (least.log10().floor(), most.log10().ceil().max(1.0));
    let x = |s: f64| LEFT + SIDE.0 * s / end;
    // None at all lies below the least decade.
    let y = |value: f64| {
        let decade = if value > 0.0 { value.log10() } else { low - 0.7 };
        TOP + SIDE.1 * (high - decade) / (high - low + 1.0)
    };
    let title = format!("False removals per server-month in {noisy}, against median seconds to find a crash");
    let mut drawing = Drawing::new((LEFT + SIDE.0 + 110.0, TOP + SIDE.1 + 40.0), &title);
    let mut decade = low;
    while decade <= high {
        let value = 10_f64.powf(decade);
        drawing.line((LEFT, y(value)), (LEFT + SIDE.0, y(value)), "grid");
        drawing.text((LEFT - 8.0, y(value) + 4.0), Anchor::End, &format!("{value}"));
        decade += 1.0;
    }
    drawing.line((LEFT, y(0.0)), (LEFT + SIDE.0, y(0.0)), "grid");
    drawing.text((LEFT - 8.0, y(0.0) + 4.0), Anchor::End, "none");
    let mut tick = 0.0;
    while tick <= end {
        drawing.text((x(tick), TOP + SIDE.1 + 20.0), Anchor::Middle, &format!("{tick:.0} s"));
        tick += 60.0;
    }
    let mut labels: Vec<(f64, f64)> = Vec::new();
    for (s, removals, row) in points {
        let class = match row.detector.as_str() {
            OURS => "ours",
            _ if row.tuning == EQUAL => "rival",
            _ => "documented",
        };
        let at = (x(s), y(removals));
        drawing.dot(at, class);
        // A label moves down until it covers no other.
        let mut label = (at.0 + 7.0, at.1 + 4.0);
        while labels.iter().any(|other| (other.0 - label.0).abs() < 90.0 && (other.1 - label.1).abs() < 11.0) {
            label.1 += 11.0;
        }
        labels.push(label);
        let text = if class == "documented" { format!("{} (documented)", row.detector) } else { row.detector.clone() };
        drawing.text(label, Anchor::Start, &text);
    }
    drawing.finish()
}
