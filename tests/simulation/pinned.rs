//! Lists of operations that once found a fault, each with the fault that it found.

use crate::operation::Operation;
use crate::run;

fn holds(operations: &[Operation]) {
    if let Err(wrong) = run(operations) {
        panic!("{wrong}");
    }
}

#[test]
fn a_fleet_to_which_nothing_happens_is_well() {
    holds(&[Operation::Pass { s: 300 }]);
}
