//! Reassociation: random sums give the same results.

use std::fmt::Write;

use anywarp_lanes::evaluate::Memory;
use anywarp_lanes::ir::Function;
use anywarp_lanes::pass::reassociate;
use anywarp_lanes::text::parse;

use crate::common::is_changed;

/// Numbers by seed.
struct Random(u32);

impl Random {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) % limit
    }
}

/// Random instructions on some words, mostly sums. Results without other uses are stored.
fn function(seed: u32) -> Function {
    const FIRST: u32 = 10;
    const WORDS: u32 = 4;
    let mut random = Random(seed);
    let mut text = "kernel lanes=8 frame=0 barriers=0
b0:
  v0 = word 0
  v1 = base buffer 0
"
    .to_owned();
    for word in 0..WORDS {
        let _ = writeln!(text, "  v{} = loadrow +{} v1, v0", FIRST + word, 8 * word);
    }
    let mut open: Vec<u32> = (FIRST..FIRST + WORDS).collect();
    let count = 5 + random.below(30);
    for result in FIRST + WORDS..FIRST + WORDS + count {
        let op = ["vadd", "vadd", "vadd", "vmul", "vxor"][random.below(5) as usize];
        let mut operand = || match random.below(4) {
            0 => FIRST + random.below(result - FIRST),
            _ => open.swap_remove(random.below(open.len() as u32) as usize),
        };
        let (a, b) = (operand(), FIRST + random.below(result - FIRST));
        let _ = writeln!(text, "  v{result} = {op} v{a}, v{b}");
        open.push(result);
        open.push(FIRST + random.below(WORDS));
    }
    open.sort_unstable();
    open.dedup();
    for (row, value) in open.iter().enumerate() {
        let _ = writeln!(text, "  storerow +{} v1, v0, v{value}", 8 * row);
    }
    text.push_str("  return finished\n");
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn memory() -> Memory {
    let words = (0..512u32).map(|number| number.wrapping_mul(2_654_435_761));
    Memory {
        buffers: vec![words.collect()],
        ..Memory::default()
    }
}

#[test]
fn sums_are_the_same_in_another_order() {
    let mut changed = 0;
    for seed in 0..1000 {
        changed += u32::from(is_changed(&function(seed), &memory(), reassociate::run));
    }
    assert!(changed > 100, "only {changed} were changed");
}
