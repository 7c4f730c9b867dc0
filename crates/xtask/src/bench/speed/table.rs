//! The rows for people: a Markdown table, which a terminal shows as well as a page does.

use super::row::{Against, Row, number};

const HEAD: [&str; 6] = ["what", "Quorate", "against", "ratio", "goal", "met"];

/// The table, and below it the notes by row.
pub fn shown(rows: &[Row]) -> String {
    let cells: Vec<[String; 6]> = rows.iter().map(cells).collect();
    let width =
        |at: usize| cells.iter().map(|row| row[at].chars().count()).chain([HEAD[at].len()]).max().unwrap_or_default();
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let line = |row: &[String]| {
        let padded = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        format!("| {} |\n", padded.collect::<Vec<_>>().join(" | "))
    };
    let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    let mut text = line(&HEAD.map(str::to_owned)) + &line(&rule);
    text.extend(cells.iter().map(|row| line(row)));
    let with_notes = rows.iter().filter(|row| !row.note_text().is_empty());
    let notes: Vec<String> = with_notes.map(|row| format!("- {}: {}.\n", row.name, row.note_text())).collect();
    if !notes.is_empty() {
        text.push('\n');
        text.extend(notes);
    }
    text
}

fn cells(row: &Row) -> [String; 6] {
    let other = |against: &Against| {
        let named = format!("{} {}", against.name, against.version);
        format!("{} {}: {}", number(against.value), row.unit, named.trim_end())
    };
    [
        row.name.clone(),
        format!("{} {}", number(row.value), row.unit),
        row.against.iter().map(other).collect::<Vec<_>>().join(" · "),
        row.ratio().map(number).unwrap_or_default(),
        row.goal_text().unwrap_or_default(),
        row.met().map_or("", |met| if met { "yes" } else { "no" }).to_owned(),
    ]
}
