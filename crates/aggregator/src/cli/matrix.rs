//! `matrix`: who sees whom, a character for each pair.

use clap::Args;
use serde_json::Value;

use super::client::{Client, encoded, parsed};
use super::{End, Failure, print};
use crate::api::matrix::{Matrix, PairWord, Row};

/// Which part.
#[derive(Debug, Args)]
pub struct MatrixArgs {
    /// Only this witness
    #[arg(long, value_name = "SERVER")]
    witness: Option<String>,
    /// Only this server's entry points
    #[arg(long, value_name = "SERVER")]
    target: Option<String>,
}

pub async fn run(client: &Client, args: &MatrixArgs) -> Result<End, Failure> {
    let matrix = read(client, args).await?;
    if client.json {
        print::json(&matrix)?;
        return Ok(End::Fine);
    }
    let width = matrix.rows.iter().map(|row| row.witness.chars().count()).max().unwrap_or_default();
    for (nth, id) in matrix.entry_points.iter().enumerate() {
        print::line(&format!("{:width$}  {}{}", "", "│".repeat(nth), format_args!("┌ {id}")))?;
    }
    for row in &matrix.rows {
        let cells: String = row.cells.iter().map(|cell| character(cell.state)).collect();
        print::line(&format!("{:width$}  {cells}{}", row.witness, remarks(row)))?;
    }
    print::line("")?;
    print::line("· sees   f failing   X sustained   H held   ? unknown   blank: not probed")?;
    Ok(End::Fine)
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

const fn character(sight: PairWord) -> char {
    match sight {
        PairWord::Sees => '·',
        PairWord::Failing => 'f',
        PairWord::Sustained => 'X',
        PairWord::Held => 'H',
        PairWord::Unknown => '?',
        PairWord::NotProbed => ' ',
    }
}

fn remarks(row: &Row) -> String {
    let discredited = match row.discredited.as_slice() {
        [] => String::new(),
        lanes => format!("  discredited on {}", lanes.join(", ")),
    };
    if row.silent { format!("{discredited}  silent") } else { discredited }
}
