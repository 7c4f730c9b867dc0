//! One line of a trace: what happened, parsed against the fleet of that moment.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, bail};
use quorate_core::fleet::Fleet;
use quorate_core::outcome::{Failure, FailureKind, Operation, Outcome, Reason};
use quorate_core::report::{Health, Report, Sequence};
use quorate_core::time::Moment;
use serde::{Deserialize, Deserializer};

use crate::fleet::{Declared, FleetFile};
use crate::object::{self, Object};

/// What a line says.
#[derive(Debug)]
pub enum Line {
    /// One round of a witness.
    Report(Report),
    /// The aggregator listens again after a pause of its own.
    Resumed,
    /// A new inventory, and a new policy if it has one.
    Fleet(Declared),
    /// Say what is found.
    Evaluate,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TraceLine {
    at_ms: u64,
    witness: Option<String>,
    #[serde(rename = "self")]
    health: Option<HealthFile>,
    outcomes: Option<Outcomes>,
    outbox: Option<String>,
    seq: Option<i64>,
    resumed: Option<bool>,
    fleet: Option<Object<FleetFile>>,
    evaluate: Option<bool>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum HealthFile {
    Ok,
    Down,
}

/// A number is a latency in ms, a string a failure.
#[derive(Debug)]
enum OutcomeFile {
    Reached(f64),
    Failed(String),
}

impl<'de> Deserialize<'de> for OutcomeFile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = OutcomeFile;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a latency in ms, the word of a failure, or null")
            }

            fn visit_f64<E>(self, ms: f64) -> Result<OutcomeFile, E> {
                Ok(OutcomeFile::Reached(ms))
            }

            #[allow(clippy::cast_precision_loss, reason = "a latency in ms is far below 2^53")]
            fn visit_u64<E>(self, ms: u64) -> Result<OutcomeFile, E> {
                Ok(OutcomeFile::Reached(ms as f64))
            }

            #[allow(clippy::cast_precision_loss, reason = "it is negative, and refused for that")]
            fn visit_i64<E>(self, ms: i64) -> Result<OutcomeFile, E> {
                Ok(OutcomeFile::Reached(ms as f64))
            }

            fn visit_str<E>(self, word: &str) -> Result<OutcomeFile, E> {
                Ok(OutcomeFile::Failed(word.to_owned()))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

/// Outcomes by entry point id; the same id twice is refused rather than folded as one or the other.
#[derive(Debug)]
struct Outcomes(BTreeMap<String, Option<OutcomeFile>>);

impl<'de> Deserialize<'de> for Outcomes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Outcomes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object of outcomes by entry point id: a number, a string or null")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Outcomes, A::Error> {
                let mut outcomes = BTreeMap::new();
                while let Some((id, outcome)) = map.next_entry::<String, Option<OutcomeFile>>()? {
                    if outcomes.contains_key(&id) {
                        return Err(serde::de::Error::custom(format!("entry point '{id}' has two outcomes")));
                    }
                    outcomes.insert(id, outcome);
                }
                Ok(Outcomes(outcomes))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

/// Parses one line that is not blank, against the fleet of its moment.
pub fn parse(text: &str, fleet: &Fleet) -> anyhow::Result<(Moment, Line)> {
    let Object(line): Object<TraceLine> = serde_json::from_str(text)
        .map_err(|error| anyhow::anyhow!("column {}: {}", error.column(), object::without_place(&error)))?;
    if line.at_ms > Moment::MAX.as_ms() {
        bail!("at_ms {} is beyond the largest moment, {}", line.at_ms, Moment::MAX.as_ms());
    }
    let at = Moment::from_ms(line.at_ms);
    let parsed = match line {
        TraceLine {
            witness: Some(witness),
            health,
            outcomes,
            outbox,
            seq,
            resumed: None,
            fleet: None,
            evaluate: None,
            ..
        } => {
            let sequence = match (outbox, seq) {
                (Some(outbox), Some(number)) => Some(Sequence { outbox, number: in_order(number) }),
                (None, None) => None,
                (Some(_), None) => bail!("'outbox' without 'seq': give both or neither"),
                (None, Some(_)) => bail!("'seq' without 'outbox': give both or neither"),
            };
            let health = match health.context("a report needs 'self': \"ok\" or \"down\"")? {
                HealthFile::Ok => Health::Ok,
                HealthFile::Down => Health::Down,
            };
            let outcomes = outcomes.context("a report needs 'outcomes'")?;
            Line::Report(report(fleet, at, &witness, health, outcomes, sequence)?)
        }
        TraceLine {
            witness: None,
            health: None,
            outcomes: None,
            outbox: None,
            seq: None,
            resumed,
            fleet,
            evaluate,
            ..
        } => match (resumed, fleet, evaluate) {
            (Some(true), None, None) => Line::Resumed,
            (None, Some(Object(file)), None) => Line::Fleet(file.checked()?),
            (None, None, Some(true)) => Line::Evaluate,
            _ => bail!("say exactly one of a report, \"resumed\": true, \"fleet\": {{…}} or \"evaluate\": true"),
        },
        _ => bail!("say exactly one of a report (witness, self, outcomes), resumed, fleet or evaluate"),
    };
    Ok((at, parsed))
}

/// A number that may be negative as one that may not, in the same order.
const fn in_order(number: i64) -> u64 {
    number.cast_unsigned() ^ 1 << 63
}

fn report(
    fleet: &Fleet,
    at: Moment,
    witness: &str,
    health: Health,
    outcomes: Outcomes,
    sequence: Option<Sequence>,
) -> anyhow::Result<Report> {
    let witness = fleet.find_server(witness).with_context(|| format!("unknown server '{witness}'"))?;
    let outcomes = outcomes.0.into_iter().map(|(id, outcome)| {
        let ix = fleet.find_entry_point(&id).with_context(|| format!("unknown entry point '{id}'"))?;
        Ok((ix, self::outcome(&id, outcome)?))
    });
    Ok(Report { witness, observed_at: at, health, outcomes: outcomes.collect::<anyhow::Result<_>>()?, sequence })
}

fn outcome(id: &str, outcome: Option<OutcomeFile>) -> anyhow::Result<Outcome> {
    Ok(match outcome {
        Some(OutcomeFile::Reached(ms)) => {
            let latency = Duration::try_from_secs_f64(ms / 1000.0);
            Outcome::Reached { latency: latency.ok().with_context(|| format!("'{id}': {ms} ms is no latency"))? }
        }
        Some(OutcomeFile::Failed(word)) => Outcome::Failed(Failure {
            // A trace does not say which step failed, and no rule asks.
            operation: Operation::Connect,
            kind: word.parse().unwrap_or(FailureKind::Unknown),
            after: Duration::ZERO,
            bytes: 0,
        }),
        None => Outcome::Inconclusive(Reason::Unknown),
    })
}
