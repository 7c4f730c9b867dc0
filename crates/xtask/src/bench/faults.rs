//! Faults on real processes, as `tests/faults` does them in the lab: one program run for each fault, so that one which cannot
//! go on stops no other. Shown as a table, and as JSON.

use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use self::table::table;
use super::noise::Noise;
use super::place::{commit, machine};
use crate::needs;
use crate::process::{self, cargo, root, target_dir};

mod table;

/// Quick enough to build cold. What is measured is nearly all waiting.
const PROFILE: &str = "quick";

#[derive(clap::Args)]
pub struct Arguments {
    /// Only this fault; may be given several times.
    #[arg(long)]
    only: Vec<String>,
    /// As often as it takes to believe it: about three hours. The short form, which the tests make, takes five minutes.
    #[arg(long)]
    long: bool,
    /// What the random instants follow from.
    #[arg(long, default_value_t = 5)]
    seed: u64,
    /// As JSON too, on the last line.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub fn run(self) -> Result<ExitCode> {
        needs::require_for_edges()?;
        let mut build = cargo();
        build.args(["build", "--quiet", "--profile", PROFILE]);
        build.args(["--package", "quorate-agent", "--bin", "quorate-agent"]);
        build.args(["--package", "quorate-aggregator", "--bin", "quorate-aggregator"]);
        build.args(["--package", "quorate-tests", "--example", "faults"]);
        process::run(&mut build)?;
        let known = process::output(program()?.arg("list"))?;
        let known: Vec<&str> = known.lines().collect();
        if let Some(unknown) = self.only.iter().find(|name| !known.contains(&name.as_str())) {
            bail!("--only {unknown}: there is {}", known.join(", "));
        }
        let form = if self.long { "long" } else { "short" };
        let noise = Noise::measure();
        let (mut rows, mut broken) = (Vec::new(), Vec::new());
        for name in known.iter().filter(|name| self.only.is_empty() || self.only.iter().any(|only| only == *name)) {
            let found = findings(name, form, self.seed)?;
            if found.is_empty() {
                broken.push((*name).to_owned());
            }
            rows.extend(found);
        }
        println!("{}", table(&rows));
        println!("{} on {}. {noise}", commit(), machine());
        if self.json {
            let is_noisy = noise.is_noisy();
            let all =
                json!({ "commit": commit(), "machine": machine(), "noisy": is_noisy, "form": form, "rows": rows });
            println!("{all}");
        }
        let is_bad = |row: &&Value| ["lost", "said_wrongly", "beyond"].iter().any(|list| row[*list] != json!([]));
        let bad = rows.iter().filter(is_bad).count();
        if !broken.is_empty() {
            bail!("ended before they had found anything: {}", broken.join(", "));
        }
        if bad > 0 {
            bail!("{bad} rows are not as promised");
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// One fault's rows; none if it could not be brought to its end. What it does meanwhile passes by on standard error.
fn findings(name: &str, form: &str, seed: u64) -> Result<Vec<Value>> {
    eprintln!("fault {name}, {form}, seed {seed}");
    let mut run = program()?;
    run.args([name, form, &seed.to_string()]).stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = run.output().context("cannot start the program that makes faults")?;
    let printed = String::from_utf8_lossy(&output.stdout);
    printed.lines().map(|line| serde_json::from_str(line).with_context(|| format!("{name} printed: {line}"))).collect()
}

fn program() -> Result<Command> {
    let mut program = Command::new(target_dir()?.join(PROFILE).join("examples/faults"));
    program.current_dir(root());
    Ok(program)
}
