//! Tests counted loops at their heads.
//!
//! In: loops with preheaders, counters from 0 by 1, and one back edge. A loop whose only exit is
//! the test after its last instruction, and which is left when a form `s * t + rest` is 0, has a
//! trip count `n`: it becomes a loop that tests `t < n` first. Values that are used after the loop
//! become parameters of the header. This is the inverse of LLVM's loop rotation, as such loops are
//! what programs and lanes handle best.
//!
//! The trip count is exact modulo 2^32, with a power of two as `s`. With `s` of 1 it could be 2^32,
//! which is 0 as a word: such loops are changed only where a condition above the loop shows that
//! the word is not 0.

mod rewrite;
mod trip_count;

use super::edges::homes;
use crate::compile::ir::{Block, Cfg, Dominators, Edge, Function, Loop, Loops, Terminator, Value};

/// The product of changed loops and values at which the pass stops.
const MAX_WORK: usize = 20_000_000;

/// A loop that is tested at its end.
struct BottomTested {
    preheader: Block,
    latch: Block,
    condition: Value,
    /// Whether the loop is left if the condition holds.
    leaves_if: bool,
    back: Edge,
    out: Edge,
}

/// Returns whether something has changed.
pub(super) fn run(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(function, &cfg);
    let mut loops = Loops::new(function, &cfg, &dominators).loops;
    let mut homes = homes(function);
    let mut work = 0;
    let mut has_changed = false;
    for at in 0..loops.len() {
        let Some(test) = bottom_tested(function, &loops[at]) else {
            continue;
        };
        let above = (&cfg, &dominators);
        let Some(count) = trip_count::of(function, &loops[at], &test, &homes, above) else {
            continue;
        };
        work += function.value_count();
        if work > MAX_WORK {
            break;
        }
        let body = rewrite::run(function, &loops[at], test, &count, &mut homes);
        let (header, latch) = (loops[at].header, loops[at].latches[0]);
        for other in loops.iter_mut().filter(|one| one.blocks.contains(&header)) {
            other.blocks.insert(body);
            if other.header != header {
                // The exit of the inner loop may be a back edge of the other one.
                let moved = other.latches.iter_mut().filter(|other| **other == latch);
                moved.for_each(|other| *other = header);
            }
        }
        has_changed = true;
    }
    has_changed
}

/// The test of a loop whose only exit is at its only back edge.
fn bottom_tested(function: &Function, one: &Loop) -> Option<BottomTested> {
    let ([preheader], [latch]) = (&one.entries[..], &one.latches[..]) else {
        return None;
    };
    let exits = (one.blocks.iter())
        .flat_map(|&block| function.block(block).terminator.edges())
        .filter(|edge| !one.blocks.contains(&edge.block));
    if exits.count() != 1 || !matches!(function.block(*preheader).terminator, Terminator::Jump(_)) {
        return None;
    }
    let Terminator::Branch { condition, yes, no } = &function.block(*latch).terminator else {
        return None;
    };
    let leaves_if = no.block == one.header;
    let (back, out) = if leaves_if { (no, yes) } else { (yes, no) };
    if back.block != one.header || one.blocks.contains(&out.block) {
        return None;
    }
    Some(BottomTested {
        preheader: *preheader,
        latch: *latch,
        condition: *condition,
        leaves_if,
        back: back.clone(),
        out: out.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::test::{check, unchanged};

    #[test]
    fn a_guarded_loop_is_tested_at_its_head() {
        check(
            super::run,
            "kernel f(i32) -> i32
            b0:
              v0: bool = Eq arg0, 0
              branch v0, b3(0), b1
            b1:
              jump b2(0, 7)
            b2(v1: i32, v2: i32):
              v3: i32 = Mul v2, v1
              v4: i32 = Add v1, 1
              v5: bool = Eq v4, arg0
              v6: i32 = Xor v3, 5
              branch v5, b3(v6), b2(v4, v3)
            b3(v7: i32):
              return v7",
            "kernel f(i32) -> i32
            b0:
              v0: bool = Eq arg0, 0
              branch v0, b3(0), b1
            b1:
              jump b2(0, 7, 0)
            b2(v1: i32, v2: i32, v13: i32):
              v14: bool = LtUnsigned v1, arg0
              branch v14, b4, b3(v13)
            b4:
              v3: i32 = Mul v2, v1
              v4: i32 = Add v1, 1
              v5: bool = Eq v4, arg0
              v6: i32 = Xor v3, 5
              jump b2(v4, v3, v6)
            b3(v7: i32):
              return v7",
        );
    }

    #[test]
    fn a_step_of_four_bytes_needs_no_guard() {
        check(
            super::run,
            "kernel f(i32)
            b0:
              v0: i32 = Shl arg0, 2
              jump b1(0)
            b1(v1: i32):
              v2: i32 = Mul v1, 4
              Store i32 v2, v1
              v3: i32 = Add v2, 4
              v4: i32 = Add v1, 1
              v5: bool = Ne v3, v0
              branch v5, b1(v4), b2
            b2:
              return",
            "kernel f(i32)
            b0:
              v0: i32 = Shl arg0, 2
              v12: i32 = Mul arg0, 4
              v14: i32 = Add v12, -4
              v15: i32 = ShrUnsigned v14, 2
              v16: i32 = Add v15, 1
              jump b1(0)
            b1(v1: i32):
              v17: bool = LtUnsigned v1, v16
              branch v17, b3, b2
            b2:
              return
            b3:
              v2: i32 = Mul v1, 4
              Store i32 v2, v1
              v3: i32 = Add v2, 4
              v4: i32 = Add v1, 1
              v5: bool = Ne v3, v0
              jump b1(v4)",
        );
    }

    #[test]
    fn without_a_guard_it_stays() {
        unchanged(
            super::run,
            "kernel f(i32)
            b0:
              jump b1(0)
            b1(v1: i32):
              Store i32 v1, v1
              v2: i32 = Add v1, 1
              v3: bool = Eq v2, arg0
              branch v3, b2, b1(v2)
            b2:
              return",
        );
    }

    /// Tests of these forms, with a guard before the loop.
    const TESTS: &[(&str, &str)] = &[
        ("Ne arg0, 0", "v6: bool = Eq v5, arg0"),
        ("LtUnsigned 2, arg0", "v6: bool = Eq v5, arg0"),
        ("LtSigned 0, arg0", "v6: bool = Eq v5, arg0"),
        (
            "Ne arg0, 0",
            "v7: i32 = Sub arg0, v2
             v6: bool = Eq v7, 1",
        ),
        (
            "Ne arg0, -1",
            "v7: i32 = Shl arg0, 2
             v8: i32 = Mul v2, 4
             v9: i32 = Sub v7, v8
             v6: bool = Eq v9, 4",
        ),
        (
            "Ne arg0, 5",
            "v8: i32 = Mul v5, -2
             v9: i32 = Add v10, v8
             v6: bool = Eq v9, 0",
        ),
        (
            "Ne v10, 0",
            "v8: i32 = Mul v5, 2
             v6: bool = Eq v8, v10",
        ),
        ("Ne arg0, 1", "v6: bool = Eq v5, 4"),
    ];

    #[test]
    fn trip_counts_are_exact() {
        use crate::compile::ir::evaluate::{End, Machine, evaluate};
        use crate::compile::ir::{parse, verify};
        let numbers: Vec<u32> = (0..10).chain((1..5).map(|at| 1 << (28 + at - 1))).collect();
        let ends = [
            u32::MAX,
            u32::MAX - 1,
            (1 << 30) + 1,
            (1 << 30) + 2,
            (1 << 31) + 4,
        ];
        for (guard, test) in TESTS {
            let text = format!(
                "kernel f(i32) -> i32, i32
                b0:
                  v0: i32 = Add arg0, 0
                  v10: i32 = And arg0, -2
                  v1: bool = {guard}
                  branch v1, b1, b3(99, 99)
                b1:
                  jump b2(0, 7)
                b2(v2: i32, v3: i32):
                  v4: i32 = Mul v3, 3
                  v5: i32 = Add v2, 1
                  {test}
                  branch v6, b3(v4, v2), b2(v5, v4)
                b3(v11: i32, v12: i32):
                  return v11, v12"
            );
            let original = parse(&text).unwrap();
            let mut changed = original.clone();
            assert!(super::run(&mut changed), "{original}");
            assert_eq!(verify(&changed), Ok(()));
            let mut count = 0;
            for &number in numbers.iter().chain(&ends) {
                let mut machine = Machine {
                    arguments: vec![u64::from(number)],
                    ..Machine::default()
                };
                let expected = evaluate(&original, &mut machine, 1000);
                let found = evaluate(&changed, &mut machine, 1200);
                assert_eq!(expected, found, "{number}\n{original}\n{changed}");
                count += u32::from(expected != End::OutOfSteps);
            }
            assert!(count > 3, "{text}");
        }
    }
}
