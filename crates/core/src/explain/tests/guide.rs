//! The examples of docs/rules.md are played, and say what `explain` says.

use alloc::format;
use alloc::string::String;

use expect_test::expect_file;

use super::told;
use crate::tests::timeline::World;

/// Every drawing of docs/rules.md is played, and what `explain` says of it stands below it. `UPDATE_EXPECT=1` writes it.
#[test]
fn the_examples_of_the_guide_say_what_is_said() {
    let guide = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/rules.md"));
    let guide = guide.unwrap_or_else(|error| panic!("docs/rules.md: {error}"));
    let mut played = String::new();
    let mut example: Option<String> = None;
    for line in guide.lines() {
        match &mut example {
            None => {
                played += line;
                played += "\n";
                example = (line == "```fleet").then(String::new);
            }
            Some(drawn) if line == "```" => {
                played += &answered(drawn);
                played += "```\n";
                example = None;
            }
            Some(drawn) => {
                *drawn += line;
                *drawn += "\n";
            }
        }
    }
    expect_file!["../../../../../docs/rules.md"].assert_eq(&played);
}

/// An example with what is said of its question: fleet, timeline, "? id", answer.
fn answered(drawn: &str) -> String {
    let (fleet, rest) = drawn.split_once("\n\n").unwrap_or_else(|| panic!("no timeline in\n{drawn}"));
    let (timeline, question) = rest.split_once("\n\n? ").unwrap_or_else(|| panic!("no question in\n{drawn}"));
    let id = question.lines().next().unwrap_or_default();
    let mut world = World::new(fleet);
    world.play(timeline);
    let mut text = format!("{fleet}\n\n{timeline}\n\n? {id}\n");
    for sentence in told(&world, id).lines().filter(|line| *line != "(-)") {
        text += &wrapped(sentence);
    }
    text
}

/// At most 118 columns, the following lines of a sentence indented.
fn wrapped(sentence: &str) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for word in sentence.split(' ') {
        if column > 0 && column + 1 + word.chars().count() > 118 {
            text += "\n ";
            column = 1;
        }
        if column > 0 {
            text += " ";
            column += 1;
        }
        text += word;
        column += word.chars().count();
    }
    text + "\n"
}
