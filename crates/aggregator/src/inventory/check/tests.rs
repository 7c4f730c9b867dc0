//! Shares as people write them.

use super::parse_share;

#[test]
fn every_share_of_three_decimals_is_taken_exactly() {
    for thousandths in 0..=1000_u16 {
        let written = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
        let share = written.parse().ok().and_then(parse_share);
        assert_eq!(share.map(quorate_core::policy::Share::thousandths), Some(thousandths), "{written}");
    }
}

#[test]
fn a_fourth_decimal_and_what_is_no_share_are_refused() {
    for number in [0.0005, 0.500_000_000_1, 1.001, -0.001, f64::NAN, f64::INFINITY] {
        assert_eq!(parse_share(number), None, "{number}");
    }
}
