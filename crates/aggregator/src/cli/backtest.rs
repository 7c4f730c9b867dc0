//! `backtest`: asks the running aggregator what another policy would have said, waits, and prints the differences.

use std::io::IsTerminal as _;
use std::time::Duration;

use clap::Args;
use reqwest::Method;
use serde_json::{Map, Value};

use super::client::{Client, encoded, parsed};
use super::{End, Failure, print};
use crate::api::history::backtests::{Backtest, BacktestOrder, BacktestState};
use crate::backtest::BacktestResult;
use crate::backtest::findings::BacktestServer;
use crate::inventory::PolicySettings;

/// How often it is asked how far it is.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// What to try.
#[derive(Debug, Args)]
pub struct BacktestArgs {
    /// The last so many hours
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=2160))]
    hours: u32,
    /// A number of the policy that is to be tried, like quorum=3; the others stay as they were in force
    #[arg(long = "set", value_name = "NAME=NUMBER", required = true)]
    set: Vec<String>,
}

pub async fn run(client: &Client, args: &BacktestArgs) -> Result<End, Failure> {
    let order = BacktestOrder { hours: Some(args.hours), from_ms: None, to_ms: None, policy: tried(&args.set)? };
    let begun: Backtest = client.send(Method::POST, "/api/v1/backtests", Some(&order), None).await?;
    let path = format!("/api/v1/backtests/{}", encoded(&begun.id));
    let done = tokio::select! {
        done = waited(client, &path) => done?,
        _ = tokio::signal::ctrl_c() => {
            let _: Value = client.send(Method::DELETE, &path, None::<&Value>, None).await?;
            return Err(Failure::new("interrupted: the back-test was cancelled"));
        }
    };
    if client.json {
        print::json(&done)?;
        return Ok(End::Fine);
    }
    let backtest: Backtest = parsed(done)?;
    let result = backtest.result.ok_or_else(|| Failure::new("the aggregator sent no result"))?;
    show(&result)?;
    Ok(End::Fine)
}

/// `quorum=3` and so on as a policy.
fn tried(set: &[String]) -> Result<PolicySettings, Failure> {
    let mut policy = Map::new();
    for pair in set {
        let bad = || Failure::new(format!("--set '{pair}': give a name and a number, like quorum=3"));
        let (name, number) = pair.split_once('=').ok_or_else(bad)?;
        let number: Value = serde_json::from_str(number.trim()).map_err(|_| bad())?;
        if policy.insert(name.trim().to_owned(), number).is_some() {
            return Err(Failure::new(format!("--set '{pair}': {} is given twice", name.trim())));
        }
    }
    serde_json::from_value(Value::Object(policy)).map_err(|error| Failure::new(format!("--set: {error}")))
}

/// The answer when it is over; how far it is meanwhile, for who watches.
async fn waited(client: &Client, path: &str) -> Result<Value, Failure> {
    let watched = std::io::stderr().is_terminal();
    loop {
        let answer: Value = client.get(path).await?;
        let now: Backtest = parsed(answer.clone())?;
        if watched {
            print::progress(&format!("back-test of {}: {:.0} %", now.title, now.done_share * 100.0));
        }
        let ended = match now.state {
            BacktestState::Running => None,
            BacktestState::Done => Some(Ok(answer)),
            BacktestState::Failed => Some(Err(now.problem.unwrap_or_else(|| "it failed".to_owned()))),
            BacktestState::Cancelled => Some(Err("somebody cancelled it".to_owned())),
        };
        if let Some(ended) = ended {
            if watched {
                print::progress("");
            }
            return ended.map_err(|problem| Failure::new(format!("back-test of {}: {problem}", now.title)));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

fn show(result: &BacktestResult) -> Result<(), Failure> {
    for sentence in &result.sentences {
        print::line(sentence)?;
    }
    // Minutes have one decimal.
    let differs = |row: &&BacktestServer| (row.withheld_minutes.was - row.withheld_minutes.would).abs() > 0.05;
    let withheld: Vec<_> = result.servers.iter().filter(differs).collect();
    if !withheld.is_empty() {
        print::line("")?;
        let mut table = print::table(&["Server", "Withheld was", "would have been"]);
        for row in withheld {
            let minutes = |minutes: f64| format!("{minutes:.1} min");
            table.add_row([row.server.clone(), minutes(row.withheld_minutes.was), minutes(row.withheld_minutes.would)]);
        }
        print::show(&table)?;
    }
    if let Some(left_out) = &result.left_out {
        print::line("")?;
        print::line(&format!("Left out: {left_out}."))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::tried;
    use crate::inventory::PolicySettings;

    #[test]
    fn numbers_to_be_tried_are_read_by_name() {
        let set = ["quorum=3", "hold_for_ms = 300000", "witness_floor=0.4"].map(str::to_owned);
        let policy = PolicySettings {
            quorum: Some(3),
            hold_for_ms: Some(300_000),
            witness_floor: Some(0.4),
            ..PolicySettings::default()
        };
        assert_eq!(tried(&set).ok(), Some(policy));
        for (bad, told) in [
            (vec!["quorum"], "like quorum=3"),
            (vec!["quorum=three"], "like quorum=3"),
            (vec!["quorun=3"], "quorun"),
            (vec!["quorum=3", "quorum=4"], "given twice"),
            (vec!["quorum=-1"], "-1"),
        ] {
            let set: Vec<String> = bad.into_iter().map(str::to_owned).collect();
            let failure = tried(&set).expect_err("it is refused").to_string();
            assert!(failure.contains(told), "{failure}");
        }
    }
}
