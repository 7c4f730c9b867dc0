//! The figures as tables, in Markdown that a terminal shows as well as a page does.

use super::board::{Board, Goal, OURS, Row, Scenario, TUNINGS};
use super::compare::{self, Duel, Winner};
use super::figure::{self, Figure};

/// Everything that a person at a terminal wants.
pub fn for_people(board: &Board) -> String {
    let cpu: Vec<String> = board.cpu().iter().map(|(name, s)| format!("{name} {s:.1}")).collect();
    format!(
        "{}\n{}\n{}\n{}\nCPU seconds: {}.",
        overview(board),
        LEGEND,
        goals(board),
        others_win(board),
        cpu.join(", ")
    )
}

/// How the overview is read.
pub const LEGEND: &str = "Quorate's figure, and in brackets the best rival's for that very figure, all as quick as Quorate on \
crashes. `*` Quorate wins, `!` the rival wins, by more than chance (their 95 % intervals do not touch); less is better.";

/// A line for each scenario: Quorate, and the best rival in each figure.
pub fn overview(board: &Board) -> String {
    let head: Vec<&str> = ["scenario"].into_iter().chain(figure::ALL.iter().map(|figure| figure.title)).collect();
    let line = |scenario: &Scenario| {
        let title = format!("{} {}", scenario.name, scenario.title);
        let cell =
            |figure: &Figure| compare::duel(board, &scenario.name, *figure).map_or_else(String::new, |d| against(&d));
        [title].into_iter().chain(figure::ALL.iter().map(cell)).collect()
    };
    markdown(&head, &board.scenarios.iter().map(line).collect::<Vec<_>>())
}

fn against(duel: &Duel<'_>) -> String {
    let mark = match duel.winner() {
        Winner::Ours => " *",
        Winner::Rival => " !",
        Winner::Nobody => "",
    };
    let (ours, theirs) = (duel.figure.shown(duel.ours.value), duel.figure.shown(duel.theirs.value));
    if ours == theirs {
        format!("{ours} (same){mark}")
    } else {
        format!("{ours} ({theirs} {}){mark}", duel.rival.detector)
    }
}

/// Each goal: where it is met, and by how much it is not.
pub fn goals(board: &Board) -> String {
    let mut names: Vec<&str> = board.goals.iter().map(|goal| goal.name.as_str()).collect();
    names.dedup();
    names.sort_unstable();
    names.dedup();
    let line = |name: &&str| {
        let of: Vec<&Goal> = board.goals.iter().filter(|goal| goal.name == **name).collect();
        let missed: Vec<String> = of.iter().filter(|goal| !goal.met).map(|goal| missed(goal)).collect();
        let met = format!("{} of {}", of.len() - missed.len(), of.len());
        vec![aim(name).to_owned(), met, if missed.is_empty() { "-".to_owned() } else { missed.join("; ") }]
    };
    markdown(&["goal", "met in scenarios", "missed"], &names.iter().map(line).collect::<Vec<_>>())
}

fn aim(name: &str) -> &str {
    match name {
        "no_empty_route" => "no route with an active entry point is delivered empty",
        "no_wrong_side" => "nobody who is well is blamed: single pairs, blind witnesses, islands, blocks",
        "few_false_removals" => {
            "false removals: a tenth of the best rival's that is as quick, or none where it has none"
        }
        "quick_detection" => {
            "a crash or a block is found at p99 within (`sustain_rounds` + 1) rounds + probe budget + 1 s"
        }
        other => other,
    }
}

fn missed(goal: &Goal) -> String {
    let figure = match goal.name.as_str() {
        "no_empty_route" => figure::EMPTY,
        "no_wrong_side" => figure::WRONG_SIDE,
        "few_false_removals" => figure::FALSE_REMOVALS,
        _ => figure::DETECTION_P99,
    };
    let measured = figure.shown(goal.measured.unwrap_or(f64::INFINITY));
    let rival = goal.rival.as_ref().map_or_else(String::new, |rival| format!(" by {rival}"));
    format!("{}: {measured}, allowed {}{rival}", goal.scenario, figure.shown(goal.allowed))
}

/// Where a rival is better by more than chance, what it pays, sentence by sentence.
pub fn others_win(board: &Board) -> String {
    let lost = compare::lost(board);
    if lost.is_empty() {
        return "No rival wins a figure in a scenario by more than chance.\n".to_owned();
    }
    lost.iter().map(|duel| lost_sentence(board, duel)).collect()
}

fn lost_sentence(board: &Board, duel: &Duel<'_>) -> String {
    let (figure, rival) = (duel.figure, duel.rival);
    let ours = board.row(duel.scenario, &rival.tuning, OURS);
    let of = |row: &Row| {
        let found = row.count("faults") - row.count("undetected");
        let blame = row.figure(figure::WRONG_SIDE).map_or(0.0, |blame| blame.value);
        format!("finds {found} of {} faults and blames in {}", row.count("faults"), figure::WRONG_SIDE.shown(blame))
    };
    format!(
        "- {}, {}: {} {}, Quorate {}. There {} {}, Quorate {}.\n",
        duel.scenario,
        figure.name,
        rival.detector,
        figure.shown_with_interval(duel.theirs),
        figure.shown_with_interval(duel.ours),
        rival.detector,
        of(rival),
        ours.map_or_else(|| "is not in it".to_owned(), of),
    )
}

/// All detectors in one scenario, under both tunings.
pub fn scenario(board: &Board, scenario: &Scenario) -> String {
    let mut text = format!("## {} · {}\n\n{}\n\n", scenario.name, scenario.title, scenario.about);
    for (tuning, words) in TUNINGS {
        let rows: Vec<&Row> =
            board.of(&scenario.name, tuning).filter(|row| tuning != "equal_detection" || !row.is_ablation()).collect();
        if let Some(row) = rows.first() {
            let counts = format!(
                "Rivals {words}; {} runs, {} faults, {} incidents.\n\n",
                row.count("seeds"),
                row.count("faults"),
                row.count("incidents")
            );
            text.push_str(&counts);
        }
        text += &full(&rows);
        text.push('\n');
    }
    text
}

fn full(rows: &[&Row]) -> String {
    let head =
        ["detector", "found"].into_iter().chain(figure::ALL.iter().map(|figure| figure.title)).chain(["abstained"]);
    let line = |row: &&Row| {
        let found = format!("{}", row.count("faults") - row.count("undetected"));
        let figures = figure::ALL
            .iter()
            .map(|figure| row.figure(*figure).map_or_else(String::new, |m| figure.shown_with_interval(m)));
        let abstained =
            row.json["abstained"].as_f64().map_or_else(String::new, |share| figure::WRONG_SIDE.shown(share));
        [row.detector.clone(), found].into_iter().chain(figures).chain([abstained]).collect()
    };
    markdown(&head.collect::<Vec<_>>(), &rows.iter().map(line).collect::<Vec<_>>())
}

fn markdown(head: &[&str], lines: &[Vec<String>]) -> String {
    let width = |at: usize| {
        let cells = lines.iter().map(|line| line[at].chars().count());
        cells.chain([head[at].chars().count()]).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let row = |cells: &[String]| {
        let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("| {} |\n", padded.collect::<Vec<_>>().join(" | "))
    };
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    row(&head.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>())
        + &row(&rule)
        + &lines.iter().map(|line| row(line)).collect::<String>()
}
