//! How long the largest recorded mesh takes to replay, by the release build.

use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Result, bail};

use crate::clock::timed;
use crate::process::{self, cargo, root, target_dir};

/// Runs of which the best counts: the machine's other work only ever adds.
const RUNS: usize = 5;
/// What the largest recorded mesh (99 servers, 99 rounds) may take.
const REPLAY_AT_MOST: Duration = Duration::from_secs(1);

/// Replays the largest recorded mesh.
pub fn run() -> Result<ExitCode> {
    process::run(cargo().args(["build", "--quiet", "--release", "--package", "quorate-aggregator"]))?;
    let binary = target_dir()?.join("release/quorate-aggregator");
    let meshes = env::var_os("QUORATE_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    let mesh = meshes.join("seattle");
    if !mesh.is_dir() {
        bail!("{} is not there: name the folder of recorded meshes in QUORATE_DATA", mesh.display());
    }
    let mut spans = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let mut replay = Command::new(&binary);
        replay.arg("replay").arg("--fleet").arg(mesh.join("fleet.json"));
        replay.arg("--trace").arg(mesh.join("trace.jsonl.gz")).stdout(Stdio::null());
        let (status, span) = timed(|| replay.status());
        if !status?.success() {
            bail!("the replay failed");
        }
        spans.push(span);
    }
    spans.sort();
    println!("replay of seattle: best {:.0?}, median {:.0?} of {RUNS} runs", spans[0], spans[RUNS / 2]);
    if spans[0] > REPLAY_AT_MOST {
        bail!("that is more than {REPLAY_AT_MOST:?}");
    }
    Ok(ExitCode::SUCCESS)
}
