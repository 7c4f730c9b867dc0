//! The rules themselves: one complete round folded and evaluated, at several sizes, beside two bare arrays.

use anyhow::Result;

use super::part::{Part, Program};
use super::row::{Goal, Row};

pub const PART: Part =
    Part { name: "fold", about: "one complete round folded and evaluated", programs: &[ROUND], needs: &[], measure };

const ROUND: Program = Program::example("quorate-core", "round");

/// Servers, and how many knock on each: all others, or a plan's 30.
const SIZES: [(u64, Option<u64>); 4] = [(100, None), (1_000, None), (3_000, None), (10_000, Some(30))];
/// The size whose evaluation and memory have a goal.
const SIZE_OF_GOALS: u64 = 1_000;

const FOLD_NS_MAX: f64 = 10.0;
const EVALUATION_MS_MAX: f64 = 20.0;
const STATE_MIB_MAX: f64 = 20.0;
const MIB: f64 = (1 << 20) as f64;
const NS_PER_MS: f64 = 1e6;

/// Why a fold may be dear.
const FEW: &str =
    "what a report costs as a whole is spread over 30 pairs, and its server's state comes from far memory";
const MEMORY: &str = "a fold waits for memory, which others on this machine use too";

/// What the rules are compared with.
const ARRAYS: &str = "two bare arrays";

fn measure() -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (servers, witnesses) in SIZES {
        let mesh = if witnesses.is_some() { "30 witnesses each" } else { "all pairs" };
        let name = |what: &str| format!("{what}, N = {servers}, {mesh}");
        let arguments: Vec<String> = [Some(servers), witnesses].into_iter().flatten().map(|n| n.to_string()).collect();
        let figures = ROUND.figures(&arguments.iter().map(String::as_str).collect::<Vec<_>>())?;
        let of = |name: &str| figures.median_at(name, servers);
        let fold = Row::new(name("fold"), of("fold")?, "ns a pair").at(servers).against(ARRAYS, "", of("walk")?);
        rows.push(fold.goal(Goal::AtMost(FOLD_NS_MAX)).if_missed(if witnesses.is_some() { FEW } else { MEMORY }));
        let evaluation = Row::new(name("full evaluation"), of("evaluate")? / NS_PER_MS, "ms").at(servers);
        let state = Row::new(name("state"), of("state")? / MIB, "MiB").at(servers);
        let mut evaluation = evaluation.against(ARRAYS, "", of("look")? / NS_PER_MS);
        let mut state = state.against(ARRAYS, "", of("state of walk")? / MIB);
        if servers == SIZE_OF_GOALS {
            evaluation = evaluation.goal(Goal::AtMost(EVALUATION_MS_MAX));
            state = state.goal(Goal::AtMost(STATE_MIB_MAX));
        }
        rows.extend([evaluation, state]);
    }
    Ok(rows)
}
