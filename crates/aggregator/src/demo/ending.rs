//! How the play went, in one line and an exit code.

use std::process::ExitCode;
use std::time::Duration;

use super::audit::Audit;
use super::director::{Director, Lead};
use super::script::SCRIPT;

/// Rounds that the whole script needs on a machine that is busy with other things. Whoever gives it as many has been
/// promised all of it.
pub const ROUNDS: u32 = 60;

/// See the module.
#[derive(Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything that was promised was seen, and healed, and nothing was wrong.
    Complete,
    /// It was led by hand, which promises nothing; nothing was wrong.
    ByHand,
    /// It was cut short before everything was seen; what there was, was right.
    Cut {
        /// What was not reached.
        not_reached: Vec<String>,
    },
    /// Something was missed, or wrong.
    Failed {
        /// What, line by line.
        problems: Vec<String>,
    },
}

impl Ending {
    /// Of a play with such a director and audit; `ran_to` is its `--for`, if it ran to that.
    pub fn of(director: &Director, audit: &Audit, round: Duration, ran_to: Option<Duration>) -> Self {
        let not_reached = director.not_reached();
        let mut problems: Vec<String> =
            director.missed().iter().map(|missed| format!("was not seen: {missed}")).chain(audit.lines()).collect();
        if ran_to.is_some_and(|ran_to| ran_to >= round * ROUNDS) && !not_reached.is_empty() {
            problems.push(format!("was not reached in {ROUNDS} rounds: {}", not_reached.join(", ")));
        }
        match (problems.is_empty(), not_reached.is_empty()) {
            (false, _) => Self::Failed { problems },
            (true, true) if director.lead() == Lead::Hand => Self::ByHand,
            (true, true) => Self::Complete,
            (true, false) => Self::Cut { not_reached },
        }
    }

    /// The last word, if all is well.
    pub fn line(&self) -> String {
        match self {
            Self::Complete => {
                let shown: Vec<String> = SCRIPT
                    .iter()
                    .map(|trouble| trouble.promise())
                    .map(|promise| format!("{} {}", promise.server, promise.finding.as_str()))
                    .collect();
                format!("seen and healed: {}; no route was ever empty", shown.join(", "))
            }
            Self::ByHand => {
                "ended; no server was condemned that nothing was done to, and no route was ever empty".to_owned()
            }
            Self::Cut { not_reached } => format!("ended early; not reached yet: {}", not_reached.join(", ")),
            Self::Failed { problems } => problems.join("; "),
        }
    }

    /// The last word, if it failed.
    pub fn failure(&self) -> Option<String> {
        match self {
            Self::Failed { problems } => Some(format!("the demo failed: {}", problems.join("; "))),
            Self::Complete | Self::ByHand | Self::Cut { .. } => None,
        }
    }

    /// 1 if it failed.
    pub fn code(&self) -> ExitCode {
        match self {
            Self::Complete | Self::ByHand | Self::Cut { .. } => ExitCode::SUCCESS,
            Self::Failed { .. } => ExitCode::FAILURE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUND: Duration = Duration::from_secs(1);

    #[test]
    fn a_short_play_says_what_it_did_not_reach_and_is_no_failure() {
        let director = Director::new(&SCRIPT, ROUND, Lead::Script);
        let ending = Ending::of(&director, &Audit::default(), ROUND, Some(Duration::from_secs(10)));
        assert!(ending.failure().is_none());
        assert!(ending.line().contains("not reached yet: nl-1 unreachable, de-1 marked"), "{}", ending.line());
        assert_eq!(ending.code(), ExitCode::SUCCESS);
    }

    #[test]
    fn a_play_that_was_interrupted_is_no_failure_however_long_it_ran() {
        let director = Director::new(&SCRIPT, ROUND, Lead::Script);
        assert!(Ending::of(&director, &Audit::default(), ROUND, None).failure().is_none());
    }

    #[test]
    fn a_play_that_had_its_time_and_did_not_reach_all_has_failed() {
        let director = Director::new(&SCRIPT, ROUND, Lead::Script);
        let ending = Ending::of(&director, &Audit::default(), ROUND, Some(Duration::from_secs(60)));
        assert!(ending.failure().is_some_and(|line| line.contains("was not reached in 60 rounds")));
        assert_eq!(ending.code(), ExitCode::FAILURE);
    }

    #[test]
    fn a_wrong_verdict_fails_a_play_that_reached_all() {
        let mut audit = Audit::default();
        audit.handle_empty_route("world", Duration::from_secs(3));
        let ending = Ending::of(&Director::new(&[], ROUND, Lead::Script), &audit, ROUND, None);
        assert_eq!(ending.failure().as_deref(), Some("the demo failed: route world was delivered empty at 3.0 s"));
    }
}
