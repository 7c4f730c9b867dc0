//! What the pages cost a browser: the first load, frames of a mesh of 1,000 by 1,000, the filter over 5,000 servers. Chromium
//! asks a real aggregator, whose reports are made up (`crates/aggregator/examples/crowd.rs`); `tests/browser/bench.js` measures.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::process::{self, cargo, root, target_dir};
use crate::web;

/// Quick enough to build cold; what is measured runs in the browser.
const PROFILE: &str = "quick";
/// No frame of the mesh may take longer: beyond that a drag stutters.
const FRAME_MS_MAX: f64 = 50.0;

#[derive(clap::Args)]
pub struct Arguments {
    /// The figures as JSON too, on the last line.
    #[arg(long)]
    json: bool,
}

impl Arguments {
    pub fn run(self) -> Result<ExitCode> {
        web::run()?;
        web::build_if_possible()?;
        let mut build = cargo();
        build.args(["build", "--quiet", "--profile", PROFILE, "--package", "quorate-aggregator", "--example", "crowd"]);
        process::run(&mut build)?;

        let thousand = Crowd::gather(&["1000", "dense"])?;
        let mesh = thousand.measured("mesh")?;
        drop(thousand);
        let five_thousand = Crowd::gather(&["5000"])?;
        let load = five_thousand.measured("load")?;
        let filter = five_thousand.measured("filter")?;
        drop(five_thousand);

        println!(
            "first load, 5,000 servers: {} kB of pages and {} kB of data over the wire; first paint after {} ms, fleet \
             shown after {} ms",
            load["pages_kb"], load["api_kb"], load["first_paint_ms"], load["fleet_shown_ms"]
        );
        println!(
            "mesh of 1,000 by 1,000, dragged, zoomed and updated: {} frames, p50 {} ms, p99 {} ms, max {} ms",
            mesh["count"], mesh["p50"], mesh["p99"], mesh["max"]
        );
        println!(
            "filter over 5,000 servers, key to picture: {} keys, p50 {} ms, p99 {} ms, max {} ms",
            filter["count"], filter["p50"], filter["p99"], filter["max"]
        );
        println!("Real: aggregator, store, API, pages, Chromium. Made up: the fleet and its reports.");
        if self.json {
            println!("{}", json!({"load": load, "mesh": mesh, "filter": filter}));
        }
        if mesh["max"].as_f64().is_none_or(|max| max > FRAME_MS_MAX) {
            bail!("{} frames of the mesh took more than {FRAME_MS_MAX} ms", mesh["over_50_ms"]);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// A running aggregator with its crowd; ended when it is dropped.
struct Crowd {
    child: Child,
    url: String,
    token: String,
}

impl Crowd {
    fn gather(arguments: &[&str]) -> Result<Self> {
        let program = target_dir()?.join(PROFILE).join("examples/crowd");
        eprintln!("$ crowd {}", arguments.join(" "));
        let mut crowd = Command::new(program);
        crowd.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = crowd.spawn().context("cannot start the crowd")?;
        let out = child.stdout.take().context("the crowd has no output")?;
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line).context("the crowd cannot be read")?;
        let said: Value = serde_json::from_str(&line).context("the crowd did not say where it is: see above")?;
        let text = |key: &str| said[key].as_str().unwrap_or_default().to_owned();
        Ok(Self { child, url: text("url"), token: text("token") })
    }

    fn measured(&self, what: &str) -> Result<Value> {
        let mut node = Command::new("node");
        node.current_dir(root().join("tests/browser")).args(["bench.js", what, &self.url, &self.token]);
        let printed = process::output(&mut node)?;
        serde_json::from_str(&printed).with_context(|| format!("bench.js {what} printed no JSON: {printed}"))
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        // It ends with its input; both fail if it is gone already, which is what they are for.
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}
