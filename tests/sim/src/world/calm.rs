//! Rounds of a world in which nothing befalls anybody: only what is lost is drawn, and the rest is as it was.
//!
//! Thirty days of fifty servers are a hundred million knocks, of which nearly all are answered. Such a world leaves out the
//! pacing's walk from knock to knock; its rounds are as long, and end like them.

use std::time::Duration;

use quorate_core::fleet::{EntryIx, ServerIx};
use quorate_core::outcome::Outcome;
use quorate_core::report::{Health, Report, Sequence};
use quorate_core::time::Moment;

use super::agent::latency;
use super::condition::lost;
use super::noise::{Paths, Spells};
use super::roster::{Place, Roster};
use crate::dice::Dice;

/// One witness.
#[derive(Debug)]
pub(super) struct Calm {
    number: usize,
    witness: ServerIx,
    dice: Dice,
    paths: Paths,
    interval_ms: u64,
    begins_ms: u64,
    /// A round in which all is answered.
    answered: Vec<(EntryIx, Outcome)>,
    places: Vec<Place>,
    outbox: String,
    sent: u64,
    /// What is lost in a round; kept for its room.
    lost: Vec<usize>,
    /// The round under way, and when its report comes in.
    due: Option<(Moment, Report)>,
}

impl Calm {
    pub fn new(
        roster: &Roster,
        number: usize,
        places: Vec<Place>,
        paths: Paths,
        mut dice: Dice,
        interval: Duration,
    ) -> Self {
        let interval_ms = interval.as_millis() as u64;
        let answered = places.iter().map(|place| {
            let ix = roster.entry_point(place).expect("the fleet is as it was planned");
            (ix, Outcome::Reached { latency: latency(number, place.server) })
        });
        Self {
            number,
            witness: roster.server(number).expect("everybody is there"),
            paths,
            interval_ms,
            begins_ms: dice.below(interval_ms),
            answered: answered.collect(),
            places,
            outbox: format!("s{number:04}-0"),
            sent: 0,
            lost: Vec::new(),
            due: None,
            dice,
        }
    }

    /// When its next report comes in.
    pub fn due_at(&self) -> Option<Moment> {
        self.due.as_ref().map(|(at, _)| *at)
    }

    /// The report that is due, and the next round begins.
    pub fn turn(&mut self, spells: &mut Spells) -> Option<Report> {
        let report = self.due.take().map(|(_, report)| report);
        self.walk(spells);
        report
    }

    fn walk(&mut self, spells: &mut Spells) {
        let count = self.answered.len() as u64;
        let begins = self.begins_ms;
        self.begins_ms += self.interval_ms;
        // The last knock starts somewhere in the first 30 % of its slot, as with the pacing.
        let slot = |nth: u64, dice: &mut Dice| {
            let offset = (self.interval_ms * (nth * 1_000 + dice.below(301))).checked_div(count * 1_000);
            begins + offset.unwrap_or(self.interval_ms)
        };
        let mut ends = slot(count.saturating_sub(1), &mut self.dice) + 120;
        let mut outcomes = self.answered.clone();
        self.lost.clear();
        self.paths.lose(outcomes.len(), &mut self.lost);
        if !spells.are_none_before(begins + self.interval_ms) {
            let middle = begins + self.interval_ms / 2;
            let own = spells.loss_ppm(self.number, middle);
            for (at, place) in self.places.iter().enumerate() {
                let theirs = spells.loss_ppm(place.server, middle);
                if self.dice.happens(own) | self.dice.happens(theirs) {
                    self.lost.push(at);
                }
            }
        }
        for at in &self.lost {
            let outcome = lost(self.places[*at].kind);
            if let Outcome::Failed(failure) = outcome {
                let nth = self.dice.below(count);
                ends = ends.max(slot(nth, &mut self.dice) + failure.after.as_millis() as u64);
            }
            outcomes[*at].1 = outcome;
        }
        self.sent += 1;
        let observed_at = Moment::from_ms(ends);
        let report = Report {
            witness: self.witness,
            observed_at,
            health: Health::Ok,
            outcomes,
            sequence: Some(Sequence { outbox: self.outbox.clone(), number: self.sent }),
        };
        self.due = Some((observed_at.after(Duration::from_millis(self.dice.between(20, 200))), report));
    }
}
