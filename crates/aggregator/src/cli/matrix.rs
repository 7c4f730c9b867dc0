//! `matrix`: who sees whom, a character for each pair, and below it in words what that shows.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::Value;

use super::client::{Client, encoded, parsed};
use super::progress::Progress;
use super::{End, Failure, print, terminal};
use crate::api::matrix::captions::CaptionView;
use crate::api::matrix::{Matrix, PairWord};
use crate::api::view::ServerRow;
use picture::{Picture, Place};

mod grid;
mod picture;
mod summary;

/// Which part.
#[derive(Debug, Args)]
pub struct MatrixArgs {
    /// Only this witness
    #[arg(long, value_name = "SERVER")]
    witness: Option<String>,
    /// Only this server's entry points
    #[arg(long, value_name = "SERVER")]
    target: Option<String>,
    /// Only witnesses and targets in this country (repeat for more); a side that is named stays as it is
    #[arg(long, value_name = "COUNTRY")]
    country: Vec<String>,
}

pub async fn run(client: &Client, args: &MatrixArgs) -> Result<End, Failure> {
    let progress = Progress::of("reading the matrix");
    let mut matrix = read(client, args).await?;
    let rows: Vec<Value> = client.list("/api/v1/servers").await?;
    let rows: Vec<ServerRow> = rows.into_iter().map(parsed).collect::<Result<_, _>>()?;
    let mut captions: Vec<CaptionView> = client.get("/api/v1/matrix/captions").await?;
    drop(progress);
    let places: BTreeMap<String, Place> = rows.into_iter().map(Place::of).collect();
    narrow(&mut matrix, args, &places);
    captions.retain(|caption| is_within(caption, &matrix));
    let end = if captions.is_empty() { End::Fine } else { End::VerdictsStand };
    if client.json {
        print::json(&matrix)?;
        return Ok(end);
    }
    if matrix.rows.is_empty() || matrix.entry_points.is_empty() {
        print::line(if places.is_empty() {
            "No servers yet: add one with `quorate-aggregator server add ID --address ADDRESS`."
        } else {
            "Nobody is in this part of the mesh: see `quorate-aggregator server list`."
        })?;
        return Ok(end);
    }
    let picture = Picture::of(&matrix, &places);
    let width = terminal::columns().unwrap_or(usize::MAX);
    let drawn = grid::drawn(&picture, width).unwrap_or_else(|| summary::drawn(&picture, width));
    for line in drawn {
        print::line(&line)?;
    }
    print::line("")?;
    for CaptionView { kind, text, .. } in &captions {
        print::line_painted(&format!("{} {text}.", shape(kind)))?;
    }
    if captions.is_empty() {
        print::line_painted(&all_is_well(&matrix))?;
    }
    Ok(end)
}

/// What is said where there is nothing to say: what is not known is not well.
fn all_is_well(matrix: &Matrix) -> String {
    let count =
        |word: PairWord| matrix.rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.state == word).count();
    match (count(PairWord::Sees), count(PairWord::Unknown)) {
        (0, _) => "○ Nothing is known: nobody has told lately what it sees.".to_owned(),
        (_, 0) => "● Nobody has lost sight of anybody.".to_owned(),
        (_, 1) => "● Nobody has lost sight of anybody; of one pair nothing is known.".to_owned(),
        (_, many) => format!("● Nobody has lost sight of anybody; of {many} pairs nothing is known."),
    }
}

/// The shape of a caption: that of the statuses that are like it.
fn shape(kind: &str) -> char {
    match kind {
        "target" | "cross" => '✕',
        "block" => '⊘',
        "witness" => '▲',
        "pair" => '◆',
        _ => '○',
    }
}

async fn read(client: &Client, args: &MatrixArgs) -> Result<Matrix, Failure> {
    let mut whole: Option<Matrix> = None;
    let mut after: Option<String> = None;
    loop {
        let mut path = "/api/v1/matrix?limit=1000".to_owned();
        let parts = [("witness", &args.witness), ("target", &args.target), ("after", &after)];
        for (name, value) in parts.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
            path.extend(["&", name, "=", &encoded(value)]);
        }
        let page: Matrix = parsed(client.get::<Value>(&path).await?)?;
        after.clone_from(&page.next);
        match &mut whole {
            Some(whole) => whole.rows.extend(page.rows),
            None => whole = Some(Matrix { next: None, ..page }),
        }
        if after.is_none() {
            return whole.ok_or_else(|| Failure::new("the aggregator sent no matrix"));
        }
    }
}

/// Leaves the rows and columns of the countries asked for.
fn narrow(matrix: &mut Matrix, args: &MatrixArgs, places: &BTreeMap<String, Place>) {
    if args.country.is_empty() {
        return;
    }
    let is_there = |server: &str| {
        let country = places.get(server).and_then(|place| place.country.as_deref());
        country.is_some_and(|country| args.country.iter().any(|wanted| wanted.eq_ignore_ascii_case(country)))
    };
    if args.witness.is_none() {
        matrix.rows.retain(|row| is_there(&row.witness));
    }
    if args.target.is_none() {
        let kept: Vec<bool> = matrix.entry_points.iter().map(|id| is_there(picture::server_of(id))).collect();
        let mut nth = kept.iter();
        matrix.entry_points.retain(|_| *nth.next().unwrap_or(&false));
        for row in &mut matrix.rows {
            let mut nth = kept.iter();
            row.cells.retain(|_| *nth.next().unwrap_or(&false));
        }
    }
}

/// Whether a caption tells of a cell that is shown; how many are left out is told of the whole mesh alone.
fn is_within(caption: &CaptionView, matrix: &Matrix) -> bool {
    caption.parts.iter().any(|part| {
        part.witnesses.iter().any(|id| matrix.rows.iter().any(|row| row.witness == *id))
            && part.targets.iter().any(|id| matrix.entry_points.contains(id))
    }) || caption.parts.is_empty()
}
