//! What chance is held to.

use super::{Dice, Gap, MILLION};

#[test]
fn a_seed_and_a_name_give_the_same_draws_everywhere() {
    let mut dice = Dice::new(7, "links");
    let drawn: Vec<u64> = (0..3).map(|_| dice.below(1_000_000)).collect();
    assert_eq!(drawn, [214_872, 235_907, 364_407]);
}

#[test]
fn a_gap_is_as_long_as_its_chance_says() {
    for ppm in [200_000, 20_000, 1_000] {
        let (gap, mut dice) = (Gap::new(ppm), Dice::new(1, "gap"));
        let draws = 20_000_u64;
        let tries: u64 = (0..draws).map(|_| gap.draw(&mut dice)).sum();
        let expected = draws * u64::from(MILLION - ppm) / u64::from(ppm);
        assert!(tries.abs_diff(expected) < expected / 25, "{ppm}: {tries} for {expected}");
    }
}

#[test]
fn what_has_no_chance_never_happens_and_what_is_sure_happens_at_once() {
    let mut dice = Dice::new(1, "gap");
    assert_eq!(Gap::new(0).draw(&mut dice), u64::MAX);
    assert_eq!(Gap::new(MILLION).draw(&mut dice), 0);
}
