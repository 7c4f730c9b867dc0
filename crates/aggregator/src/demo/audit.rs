//! What must never happen in the demo, whatever the machine is busy with: a server condemned that nothing was done to, and
//! a route delivered empty.

use std::time::Duration;

use quorate_core::verdict::Status;

use super::scene::Scene;
use super::script::Trouble;

/// Lines kept; the first say what went wrong, the rest is counted.
const LINES_MAX: usize = 10;

/// Keeps a list of what went wrong.
#[derive(Debug, Default)]
pub struct Audit {
    lines: Vec<String>,
    more: usize,
    /// What the last scene showed already, so that it is said once.
    standing: Vec<(String, &'static str)>,
}

impl Audit {
    /// Looks at the fleet while these troubles stand or heal.
    pub fn handle_scene(&mut self, scene: &Scene, troubles: &[Trouble], now: Duration) {
        let mut standing = Vec::new();
        for server in &scene.servers {
            let is_victim = troubles.iter().any(|trouble| trouble.victim() == Some(server.id.as_str()));
            let condemned = server.conditions.iter().filter(|status| !is_victim && condemns(**status));
            standing.extend(condemned.map(|status| (server.id.clone(), status.as_str())));
        }
        let empty = scene.routes.iter().filter(|route| route.delivered == 0);
        standing.extend(empty.map(|route| (format!("route {}", route.id), "empty")));
        for (subject, word) in &standing {
            if !self.standing.iter().any(|(before, was)| before == subject && was == word) {
                self.note(format!("{subject} was {word} at {:.1} s, and nothing was done to it", now.as_secs_f64()));
            }
        }
        self.standing = standing;
    }

    /// A route was delivered empty between two scenes.
    pub fn handle_empty_route(&mut self, route: &str, now: Duration) {
        self.note(format!("route {route} was delivered empty at {:.1} s", now.as_secs_f64()));
    }

    /// Everything that went wrong, the first in full.
    pub fn lines(&self) -> Vec<String> {
        let more = (self.more > 0).then(|| format!("and {} more", self.more));
        self.lines.iter().cloned().chain(more).collect()
    }

    fn note(&mut self, line: String) {
        if self.lines.len() < LINES_MAX {
            self.lines.push(line);
        } else {
            self.more += 1;
        }
    }
}

/// Words that take a server from its users, or say that it is not there.
const fn condemns(status: Status) -> bool {
    match status {
        Status::Down | Status::Unreachable | Status::Blocked | Status::Degraded => true,
        Status::Disabled | Status::NoData | Status::Pending | Status::Contested | Status::Marked | Status::Ok => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::scene::{Offered, Seen};
    use crate::demo::script::SCRIPT;

    #[test]
    fn a_victim_may_be_condemned_and_a_bystander_may_not() {
        let mut audit = Audit::default();
        let border = SCRIPT[0];
        audit.handle_scene(&scene("nl-1", Status::Unreachable, 3), &[border], Duration::from_secs(5));
        assert!(audit.lines().is_empty());
        audit.handle_scene(&scene("nl-2", Status::Unreachable, 3), &[border], Duration::from_secs(6));
        assert_eq!(audit.lines(), ["nl-2 was unreachable at 6.0 s, and nothing was done to it"]);
    }

    #[test]
    fn a_wrong_verdict_that_stands_is_told_once() {
        let mut audit = Audit::default();
        for second in 1..5 {
            audit.handle_scene(&scene("nl-2", Status::Down, 3), &[], Duration::from_secs(second));
        }
        assert_eq!(audit.lines().len(), 1);
    }

    #[test]
    fn an_empty_route_is_wrong_whatever_the_trouble() {
        let mut audit = Audit::default();
        audit.handle_scene(&scene("nl-1", Status::Unreachable, 0), &SCRIPT, Duration::from_secs(1));
        assert_eq!(audit.lines().len(), 1);
    }

    fn scene(id: &str, status: Status, delivered: usize) -> Scene {
        Scene {
            servers: vec![Seen::plain(id, status)],
            routes: vec![Offered { id: "world".to_owned(), delivered, of: 4, last_resort: false }],
        }
    }
}
