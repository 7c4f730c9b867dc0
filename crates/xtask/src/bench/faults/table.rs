//! The findings for people, as a table in Markdown: docs/faults.md quotes it as it is.

use std::fmt::Write as _;

use serde_json::Value;

/// One line for each thing that was done, and below the table what is not as promised.
pub fn table(rows: &[Value]) -> String {
    let mut text = String::from(
        "| fault | what was done | times | lost | said wrongly | well again, s: half of the times, longest | what it took |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for row in rows {
        let word = |field: &str| row[field].as_str().unwrap_or_default();
        let (fault, done, times) = (word("fault"), word("done"), &row["times"]);
        let (lost, wrong) = (count(&row["lost"]), count(&row["said_wrongly"]));
        let (well, took) = (well(&row["well_s"]), figures(&row["figures"]));
        let _ = writeln!(text, "| {fault} | {done} | {times} | {lost} | {wrong} | {well} | {took} |");
    }
    for row in rows {
        let lists = ["lost", "said_wrongly", "beyond"].map(|list| row[list].as_array().cloned().unwrap_or_default());
        for line in lists.iter().flatten() {
            let done = row["done"].as_str().unwrap_or_default();
            let _ = write!(text, "\n{done}: {}", line.as_str().unwrap_or_default());
        }
    }
    text
}

fn count(list: &Value) -> String {
    match list.as_array().map_or(0, Vec::len) {
        0 => "nothing".to_owned(),
        some => some.to_string(),
    }
}

fn well(well_s: &Value) -> String {
    match (well_s["p50"].as_f64(), well_s["max"].as_f64()) {
        (Some(half), Some(longest)) => format!("{half:.1}, {longest:.1}"),
        _ => String::new(),
    }
}

fn figures(figures: &Value) -> String {
    let figures = figures.as_object().into_iter().flatten();
    let shown: Vec<String> = figures.map(|(name, value)| format!("{name}: {value}")).collect();
    shown.join("; ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::table;

    #[test]
    fn a_row_says_what_was_lost_and_the_text_below_which() {
        let good = json!({
            "fault": "kills", "done": "kill -9 of an agent", "times": 3, "lost": [], "said_wrongly": [], "beyond": [],
            "well_s": { "p50": 0.31, "max": 4.72 }, "figures": { "descriptors more": 2.0 },
        });
        let bad = json!({
            "fault": "disk", "done": "disk full", "times": 1, "lost": ["nl-1: report 7 of 9 is missing"],
            "said_wrongly": [], "beyond": [], "well_s": { "p50": null, "max": null }, "figures": {},
        });
        let text = table(&[good, bad]);
        assert!(
            text.contains("| kills | kill -9 of an agent | 3 | nothing | nothing | 0.3, 4.7 | descriptors more: 2.0 |")
        );
        assert!(text.contains("| disk | disk full | 1 | 1 | nothing |  |  |"));
        assert!(text.ends_with("disk full: nl-1: report 7 of 9 is missing"));
    }
}
