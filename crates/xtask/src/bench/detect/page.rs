//! Writes what docs/detection.md shows: the parts of it that are figures, a page with every detector in every scenario, plots.
//!
//! The page itself is written by hand. A part that is written here stands between two lines of comment that name it.

use std::fs;

use anyhow::{Context as _, Result, bail};

use super::board::Board;
use super::{plot, table};
use crate::process::root;

const PAGE: &str = "docs/detection.md";
const FOLDER: &str = "docs/detection";

/// Below the overview; links are written with what they lead to.
const PLOTS: &str = "[Every detector in every scenario](detection/scenarios.md)\n
![Wrong-side blame by scenario and detector](detection/wrong-side.svg)\n
![Detection times of crashes and blocks](detection/detection.svg)\n
![False removals against detection time](detection/trade.svg)\n";
const PARTS: &str = "![Wrong-side blame of Quorate without each of its rules](detection/ablations.svg)\n";

/// Writes all of it.
pub fn write(board: &Board, command: &str, place: &str) -> Result<()> {
    let path = root().join(PAGE);
    let mut page = fs::read_to_string(&path).with_context(|| format!("cannot read {PAGE}"))?;
    let cpu: String = board.cpu().iter().map(|(name, s)| format!("| {name} | {s:.1} |\n")).collect();
    for (name, text) in [
        ("place", format!("```sh\n{command}\n```\n\n{place}\n")),
        ("goals", table::goals(board)),
        ("overview", format!("{}\n{}\n\n{PLOTS}", table::overview(board), table::LEGEND)),
        ("parts", PARTS.to_owned()),
        ("others-win", table::others_win(board)),
        ("cpu", format!("| who | CPU seconds |\n| --- | --- |\n{cpu}")),
    ] {
        page = replaced(&page, name, &text)?;
    }
    fs::write(&path, page).with_context(|| format!("cannot write {PAGE}"))?;

    let folder = root().join(FOLDER);
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {FOLDER}"))?;
    let mut all = format!(
        "# Every detector in every scenario\n\nWritten by `{command}`; [detection.md](../detection.md) says what is measured \
         and how. Less is better in every column but the first two; in brackets the 95 % interval.\n\n"
    );
    all.extend(board.scenarios.iter().map(|scenario| table::scenario(board, scenario)));
    let plots = plot::all(board);
    for (name, text) in plots.iter().map(|(name, text)| (*name, text)).chain([("scenarios.md", &all)]) {
        fs::write(folder.join(name), text).with_context(|| format!("cannot write {FOLDER}/{name}"))?;
    }
    Ok(())
}

/// The page with another text in that part of it.
pub fn replaced(page: &str, name: &str, text: &str) -> Result<String> {
    let (begin, end) = (format!("<!-- figures: {name} -->\n"), format!("<!-- end: {name} -->"));
    let Some((before, rest)) = page.split_once(&begin) else { bail!("{PAGE}: has no line `{}`", begin.trim_end()) };
    let Some((_, after)) = rest.split_once(&end) else { bail!("{PAGE}: has no line `{end}`") };
    Ok(format!("{before}{begin}\n{}\n\n{end}{after}", text.trim_end()))
}
