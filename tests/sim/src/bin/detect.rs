//! Plays the scoreboard and prints it as JSON; `cargo xtask bench detect` shows it to people.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line: printing is its job")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, bail};
use quorate_sim::board::{self, Course};

const USAGE: &str = "usage: detect [--seeds N] [--scenario NAME]… [--recorded FOLDER]";

struct Arguments {
    seeds: u64,
    scenarios: Vec<String>,
    recorded: Option<PathBuf>,
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = String>) -> anyhow::Result<Self> {
        let mut arguments = Self { seeds: 30, scenarios: Vec::new(), recorded: None };
        while let Some(word) = words.next() {
            let mut value = || words.next().with_context(|| format!("{word} wants a value; {USAGE}"));
            match word.as_str() {
                "--seeds" => {
                    let seeds = value()?;
                    let number = seeds.parse().ok().filter(|seeds| (1..=10_000).contains(seeds));
                    arguments.seeds = number.with_context(|| format!("--seeds {seeds}: use 1 to 10000"))?;
                }
                "--scenario" => arguments.scenarios.push(value()?),
                "--recorded" => arguments.recorded = Some(value()?.into()),
                _ => bail!("unknown argument {word}; {USAGE}"),
            }
        }
        Ok(arguments)
    }

    fn courses(&self) -> anyhow::Result<Vec<Course>> {
        let mut courses = Course::scenarios(self.seeds);
        if let Some(folder) = &self.recorded {
            courses.extend(Course::recorded(folder)?);
        }
        for wanted in &self.scenarios {
            if !courses.iter().any(|course| course.is_meant_by(wanted)) {
                let names: Vec<&str> = courses.iter().map(|course| course.name.as_str()).collect();
                bail!("--scenario {wanted}: there is none; use one of {}", names.join(", "));
            }
        }
        if !self.scenarios.is_empty() {
            courses.retain(|course| self.scenarios.iter().any(|wanted| course.is_meant_by(wanted)));
        }
        Ok(courses)
    }
}

fn main() -> ExitCode {
    match detect() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("detect: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn detect() -> anyhow::Result<()> {
    let courses = Arguments::parse(std::env::args().skip(1))?.courses()?;
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let told = |course: &Course, cpu: Duration| {
        eprintln!("{}: {} runs in {:.1} CPU seconds", course.name, course.seeds, cpu.as_secs_f64());
    };
    println!("{}", board::run(&courses, &board::everybody, threads, &told).to_json(&courses));
    Ok(())
}
