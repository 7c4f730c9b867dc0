//! R13 on timelines.

use crate::fleet::{EntryPointSpec, Fleet, FleetError, Intent, ServerSpec};
use crate::lane::Lane;
use crate::tests::timeline::World;

#[test]
fn an_entry_point_with_one_live_hop_is_of_use() {
    let mut world = World::new("in RU tls:tcp4>o1+o2\no1 NL\no2 DE\nx FI");
    let film = world.play("o1 . D D D");
    assert_eq!(film.state("in/tls"), "clear clear clear clear");
}

#[test]
fn an_entry_point_is_cut_off_when_its_last_hop_goes_down_and_comes_back_with_it() {
    let mut world = World::new("in RU tls:tcp4>o1\no1 NL\nx FI");
    let film = world.play("o1 . D D .");
    assert_eq!(film.state("in/tls"), "clear cut_off cut_off clear");
    assert_eq!(film.status("in"), "ok ok ok ok", "it changes no status");
}

#[test]
fn a_hop_that_the_server_itself_cannot_see_is_dead() {
    let mut world = World::new("in RU tls:tcp4>o1\no1 NL\nx FI\ny SE");
    let film = world.play("in>o1 . x x x x");
    assert_eq!(film.state("in/tls"), "clear clear clear cut_off cut_off");
}

#[test]
fn a_hop_that_works_is_alive_whatever_others_say() {
    let mut world = World::new("in RU tls:tcp4>o1\no1 NL\nx FI\ny SE\nz PL");
    world.play("*>o1 . x x x x\nin>o1 . . . . .");
    assert_eq!(world.on_server("o1").status.as_str(), "unreachable");
    assert_eq!(world.on_entry("in/tls").state().as_str(), "clear");
}

#[test]
fn an_unreachable_hop_of_which_the_server_knows_nothing_is_dead() {
    let mut world = World::new("in RU tls:tcp4>o1\no1 NL\nx FI\ny SE\nz PL");
    world.play("*>o1 . x x x x\nin>o1 ? ? ? ? ?");
    assert_eq!(world.on_entry("in/tls").state().as_str(), "cut_off");
}

#[test]
fn a_chain_is_as_long_as_its_shortest_link() {
    let mut world = World::new("in RU tls:tcp4>mid\nmid NL tls:tcp4>out\nout DE\nx FI");
    world.play("out . D");
    assert_eq!(world.on_entry("mid/tls").state().as_str(), "cut_off");
    assert_eq!(world.on_entry("in/tls").state().as_str(), "cut_off");
}

#[test]
fn a_hop_with_another_entry_point_that_leads_on_is_alive() {
    let mut world = World::new("in RU tls:tcp4>mid\nmid NL tls:tcp4>out own:tcp4\nout DE\nx FI");
    world.play("out . D");
    assert_eq!(world.on_entry("mid/tls").state().as_str(), "cut_off");
    assert_eq!(world.on_entry("in/tls").state().as_str(), "clear");
}

#[test]
fn a_disabled_hop_is_dead() {
    let mut world = World::new("in RU tls:tcp4>out\nout DE disabled\nx FI");
    world.play("in .");
    assert_eq!(world.on_entry("in/tls").state().as_str(), "cut_off");
}

fn forwarding(id: &str, to: &[&str]) -> ServerSpec {
    let entry_point = EntryPointSpec {
        id: alloc::format!("{id}/tls"),
        lane: Lane::Tcp4,
        address: None,
        probe: None,
        upstreams: to.iter().map(|id| alloc::string::String::from(*id)).collect(),
        weight: 1,
    };
    ServerSpec {
        id: id.into(),
        country: None,
        site: None,
        verifier: false,
        intent: Intent::Active,
        entry_points: alloc::vec![entry_point],
    }
}

#[test]
fn servers_that_forward_in_a_circle_are_refused() {
    let circle = Fleet::new(
        alloc::vec![forwarding("a", &["b"]), forwarding("b", &["c"]), forwarding("c", &["a"]), forwarding("d", &["a"])],
        alloc::vec![],
    );
    assert_eq!(circle, Err(FleetError::Cycle("a → b → c".into())));
    let itself = Fleet::new(alloc::vec![forwarding("a", &["a"])], alloc::vec![]);
    assert_eq!(itself, Err(FleetError::Cycle("a".into())));
}
