use quorate_sim::invariant::Rigour;
use quorate_sim::random::Case;
use std::collections::BTreeMap;
fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let a: Vec<u64> = std::env::args().skip(1).map(|w| w.parse().unwrap()).collect();
    let mut kinds: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    let (mut steps, mut words) = (0, 0);
    for seed in a[0]..a[1] {
        match Case::of(seed).run(if a.len() > 2 { Rigour::Whole } else { Rigour::AsKnown }) {
            Ok(ran) => {
                steps += ran.steps;
                words += ran.words;
            }
            Err(b) => kinds.entry(b.invariant).or_default().push(seed),
        }
    }
    println!("{steps} steps, {words} words");
    for (k, s) in kinds {
        println!("{} {k}: {:?}", s.len(), &s[..s.len().min(12)]);
    }
}
