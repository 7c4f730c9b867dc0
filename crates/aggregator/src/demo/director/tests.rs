#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use quorate_core::verdict::Status;

use super::*;
use crate::demo::cast::PLAYERS;
use crate::demo::scene::Seen;
use crate::demo::script::SCRIPT;

const ROUND: Duration = Duration::from_secs(1);
const BORDER: &[Trouble] = &[SCRIPT[0]];

#[test]
fn nothing_is_raised_before_the_fleet_is_well() {
    let mut director = Director::new(BORDER, ROUND, Lead::Script);
    assert!(director.handle_scene(&fleet(&[("nl-1", Status::Pending)]), at(1)).is_empty());
    assert!(director.handle_scene(&Scene::default(), at(2)).is_empty());
    let cues = director.handle_scene(&fleet(&[]), at(3));
    assert_eq!(deeds(&cues), SCRIPT[0].raise());
}

#[test]
fn a_trouble_stands_until_it_is_found_out_and_ends_after_a_while() {
    let mut director = Director::new(BORDER, ROUND, Lead::Script);
    director.handle_scene(&fleet(&[]), at(1));
    assert!(director.handle_scene(&fleet(&[("nl-1", Status::Marked)]), at(4)).is_empty());
    assert!(director.handle_scene(&fleet(&[("nl-1", Status::Unreachable)]), at(5)).is_empty());
    assert!(director.handle_scene(&fleet(&[("nl-1", Status::Unreachable)]), at(7)).is_empty());
    let cues = director.handle_scene(&fleet(&[("nl-1", Status::Unreachable)]), at(8));
    assert_eq!(deeds(&cues), SCRIPT[0].heal());
    assert_eq!(director.not_reached(), ["nl-1 unreachable, healed"]);
    director.handle_scene(&fleet(&[]), at(9));
    assert_eq!((director.passes(), director.missed()), (1, &[][..]));
    assert!(director.not_reached().is_empty());
}

#[test]
fn led_by_hand_a_trouble_begins_and_ends_when_somebody_says_so() {
    let mut director = Director::new(&SCRIPT, ROUND, Lead::Hand);
    assert!(deeds(&director.handle_scene(&fleet(&[]), at(1))).is_empty());
    let (raise, end) = (Order::Raise(SCRIPT[0]), Order::End(SCRIPT[0]));
    assert!(director.handle_order(end, at(2)).is_empty(), "it does not stand");
    assert_eq!(deeds(&director.handle_order(raise, at(3))), SCRIPT[0].raise());
    assert!(director.handle_order(raise, at(4)).is_empty(), "it stands already");
    let ill = fleet(&[("nl-1", Status::Unreachable)]);
    assert!(director.handle_scene(&ill, at(500)).is_empty(), "it stands for as long as nobody ends it");
    assert_eq!(deeds(&director.handle_order(end, at(501))), SCRIPT[0].heal());
    director.handle_scene(&ill, at(502));
    assert_eq!(director.troubles().count(), 1, "what heals may still be said of its server");
    director.handle_scene(&fleet(&[]), at(503));
    assert_eq!(director.troubles().count(), 0);
    assert!(director.missed().is_empty() && director.not_reached().is_empty());
}

#[test]
fn whoever_is_late_does_not_linger() {
    let mut director = Director::new(BORDER, ROUND, Lead::Script);
    director.handle_scene(&fleet(&[]), at(1));
    director.handle_scene(&fleet(&[("nl-1", Status::Unreachable)]), at(12));
    let cues = director.handle_scene(&fleet(&[("nl-1", Status::Unreachable)]), at(12));
    assert_eq!(deeds(&cues), SCRIPT[0].heal());
}

#[test]
fn a_promise_that_is_not_kept_is_told_and_the_play_goes_on() {
    let mut director = Director::new(BORDER, ROUND, Lead::Script);
    director.handle_scene(&fleet(&[]), at(1));
    let cues = director.handle_scene(&fleet(&[]), at(42));
    assert_eq!(deeds(&cues), SCRIPT[0].heal());
    director.handle_scene(&fleet(&[]), at(43));
    assert_eq!(director.missed(), ["nl-1 unreachable within 40 rounds (it is nl-1 ok)"]);
}

#[test]
fn what_does_not_heal_is_told() {
    let mut director = Director::new(BORDER, ROUND, Lead::Script);
    director.handle_scene(&fleet(&[]), at(1));
    let ill = fleet(&[("nl-1", Status::Unreachable)]);
    for second in 2..60 {
        director.handle_scene(&ill, at(second));
    }
    assert_eq!(director.missed(), ["nl-1 unreachable healed within 40 rounds (nl-1 unreachable)"]);
    assert_eq!(director.passes(), 1);
}

#[test]
fn the_next_trouble_begins_while_the_last_heals_unless_they_meet() {
    let apart = &[SCRIPT[0], SCRIPT[1]];
    assert!(SCRIPT[3].meets(SCRIPT[5]), "both touch de-1");
    let together = &[SCRIPT[3], SCRIPT[5]];
    for (script, first, status, begins) in
        [(apart, "nl-1", Status::Unreachable, true), (together, "de-1", Status::Down, false)]
    {
        let mut director = Director::new(script, ROUND, Lead::Script);
        director.handle_scene(&fleet(&[]), at(1));
        director.handle_scene(&fleet(&[(first, status)]), at(2));
        let cues = director.handle_scene(&fleet(&[(first, status)]), at(5));
        let raised = deeds(&cues).contains(&script[1].raise()[0]);
        assert_eq!(raised, begins, "{first}");
    }
}

#[test]
fn the_whole_script_in_a_perfect_fleet_takes_less_than_the_planned_rounds() {
    let mut director = Director::new(&SCRIPT, ROUND, Lead::Script);
    let mut second = 0;
    while director.passes() == 0 {
        second += 1;
        // Whatever stands is found out at once.
        let troubles: Vec<Trouble> = director.troubles().collect();
        let mut scene = fleet(&[]);
        for trouble in troubles {
            let promise = trouble.promise();
            let healing = director.acts.iter().any(|act| act.trouble == trouble && is_healing(act.phase));
            let server = scene.servers.iter_mut().find(|server| server.id == promise.server).unwrap();
            match promise.finding {
                _ if healing => {}
                Finding::Status(status) => *server = Seen::plain(promise.server, status),
                Finding::HalfBlind => server.half_blind = Some((3, 7)),
            }
        }
        director.handle_scene(&scene, at(second));
        assert!(second < 60, "{:?}", director.not_reached());
    }
    assert!(director.missed().is_empty());
}

#[test]
fn a_second_pass_begins_after_some_calm() {
    let mut director = Director::new(BORDER, ROUND, Lead::Script);
    director.handle_scene(&fleet(&[]), at(1));
    director.handle_scene(&fleet(&[("nl-1", Status::Unreachable)]), at(2));
    director.handle_scene(&fleet(&[("nl-1", Status::Unreachable)]), at(5));
    director.handle_scene(&fleet(&[]), at(6));
    director.repeat(at(11));
    assert!(director.handle_scene(&fleet(&[]), at(11)).is_empty());
    director.repeat(at(12));
    assert_eq!(deeds(&director.handle_scene(&fleet(&[]), at(12))), SCRIPT[0].raise());
}

fn is_healing(phase: Phase) -> bool {
    matches!(phase, Phase::Healing { .. })
}

fn at(second: u64) -> Duration {
    Duration::from_secs(second)
}

fn deeds(cues: &[Cue]) -> Vec<Deed> {
    let deed = |cue: &Cue| match cue {
        Cue::Do(deed) => Some(*deed),
        Cue::Say(_) => None,
    };
    cues.iter().filter_map(deed).collect()
}

/// The cast, all well but these.
fn fleet(unwell: &[(&str, Status)]) -> Scene {
    let server = |id: &str| {
        let status = unwell.iter().find(|(who, _)| *who == id).map_or(Status::Ok, |(_, status)| *status);
        Seen::plain(id, status)
    };
    Scene { servers: PLAYERS.iter().map(|player| server(player.id)).collect(), routes: Vec::new() }
}
