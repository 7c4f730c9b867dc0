//! Which numbers of a policy may be tried, and how they are laid over the policy of the time.

use serde_json::Value;

use crate::inventory::PolicySettings;

/// Why a policy cannot be tried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Untried {
    /// Nothing differs.
    #[error("no number is given: name at least one that is to be tried, like quorum")]
    Nothing,
    /// What agents are told.
    #[error(
        "{0} cannot be tried: agents probed as they were told then. Try quorum, quorum_share, sustain_rounds, \
         sustain_for_ms, stale_after_ms, hold_for_ms, witness_floor or half_blind_share"
    )]
    OfAgents(&'static str),
}

/// The policy itself, if it can be tried.
pub fn checked(tried: &PolicySettings) -> Result<(), Untried> {
    // Named one by one, so that a new number has to be thought about.
    let PolicySettings {
        interval_ms,
        stale_after_ms,
        sustain_rounds,
        sustain_for_ms,
        witness_floor,
        quorum,
        quorum_share,
        half_blind_share,
        hold_for_ms,
        min_spacing_ms,
        witnesses_per_target,
        all,
        controls,
        speed,
    } = tried;
    let of_agents = [
        ("interval_ms", interval_ms.is_some()),
        ("min_spacing_ms", min_spacing_ms.is_some()),
        ("witnesses_per_target", witnesses_per_target.is_some()),
        ("all", all.is_some()),
        ("controls", !controls.is_empty()),
        ("speed", speed.is_some()),
    ];
    if let Some((name, _)) = of_agents.into_iter().find(|(_, is_set)| *is_set) {
        return Err(Untried::OfAgents(name));
    }
    let numbers = [
        stale_after_ms.is_some(),
        sustain_rounds.is_some(),
        sustain_for_ms.is_some(),
        witness_floor.is_some(),
        quorum.is_some(),
        quorum_share.is_some(),
        half_blind_share.is_some(),
        hold_for_ms.is_some(),
    ];
    if numbers.contains(&true) { Ok(()) } else { Err(Untried::Nothing) }
}

/// What is tried over what was in force; what is not tried stays.
pub fn laid_over(in_force: &PolicySettings, tried: &PolicySettings) -> PolicySettings {
    PolicySettings {
        stale_after_ms: tried.stale_after_ms.or(in_force.stale_after_ms),
        sustain_rounds: tried.sustain_rounds.or(in_force.sustain_rounds),
        sustain_for_ms: tried.sustain_for_ms.or(in_force.sustain_for_ms),
        witness_floor: tried.witness_floor.or(in_force.witness_floor),
        quorum: tried.quorum.or(in_force.quorum),
        quorum_share: tried.quorum_share.or(in_force.quorum_share),
        half_blind_share: tried.half_blind_share.or(in_force.half_blind_share),
        hold_for_ms: tried.hold_for_ms.or(in_force.hold_for_ms),
        ..in_force.clone()
    }
}

/// `quorum 3 and hold_for 300 s`.
pub fn title(tried: &PolicySettings) -> String {
    let numbers: Vec<String> = match serde_json::to_value(tried) {
        Ok(Value::Object(fields)) => fields.iter().map(|(name, value)| number(name, value)).collect(),
        _ => Vec::new(),
    };
    match numbers.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => numbers.concat(),
    }
}

fn number(name: &str, value: &Value) -> String {
    match (name.strip_suffix("_ms"), value.as_u64()) {
        (Some(span), Some(ms)) if ms % 1000 == 0 => format!("{span} {} s", ms / 1000),
        (Some(span), Some(ms)) => format!("{span} {ms} ms"),
        _ => format!("{name} {value}"),
    }
}

#[cfg(test)]
mod tests;
