//! Hoists checks out of counted loops by loop versioning.
//!
//! In: loops with preheaders that are tested at their heads by `t < n`, where the counter `t` goes
//! from 0 by 1. Out: `if (ok) { loop without checks } else { loop }`, where `ok` is computed before
//! the loop and implies that no removed check fails in any turn. The second loop is the original,
//! so traps happen exactly where they did.
//!
//! `ok` is sufficient, not necessary: it uses bounds of the values of all lanes ([`bounds`]), so
//! that it is the same for all lanes of a workgroup where possible. A loop with barriers is changed
//! only if it is. Only innermost loops are copied, and only if they have one exit.

mod bounds;
mod condition;
mod version;

use super::edges::homes;
use crate::compile::analysis::linear::{Linear, LinearForms};
use crate::compile::ir::{
    Binary, Block, Cfg, Dominators, Function, Loop, Loops, Op, Terminator, Value,
};
use crate::module::{Host, HostFunction};

/// The largest number of instructions of a loop that is copied.
const MAX_COPIED: usize = 400;

/// All copies together have at most this number of instructions.
const MAX_GROWTH: usize = 4_000;

/// A loop whose header tests `counter < count` and does nothing else.
struct Counted {
    preheader: Block,
    counter: Value,
    count: Value,
}

/// Returns whether something has changed.
pub(super) fn run(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(function, &cfg);
    let homes = homes(function);
    let loops = Loops::new(function, &cfg, &dominators).loops;
    let mut growth = 0;
    let mut changed: Vec<Block> = Vec::new();
    for one in &loops {
        if loops
            .iter()
            .any(|inner| inner.header != one.header && one.blocks.contains(&inner.header))
        {
            continue;
        }
        let insts = one
            .blocks
            .iter()
            .map(|&block| function.block(block).insts.len());
        let size: usize = insts.sum();
        if size > MAX_COPIED || growth + size > MAX_GROWTH {
            continue;
        }
        let Some(counted) = counted(function, one) else {
            continue;
        };
        let facts = super::conditions::above(function, &cfg, &dominators, counted.preheader);
        let hoisted = condition::run(function, one, &counted, &homes, &facts);
        let Some((ok, checks)) = hoisted else {
            continue;
        };
        version::run(function, one, counted.preheader, ok, &checks, &homes);
        growth += size;
        changed.push(one.header);
    }
    !changed.is_empty()
}

/// Whether a loop is tested at its head only, by its counter.
fn counted(function: &Function, one: &Loop) -> Option<Counted> {
    let [preheader] = one.entries[..] else {
        return None;
    };
    let Terminator::Jump(entry) = &function.block(preheader).terminator else {
        return None;
    };
    let header = function.block(one.header);
    let Terminator::Branch { condition, yes, no } = &header.terminator else {
        return None;
    };
    let exits = (one.blocks.iter())
        .flat_map(|&block| function.block(block).terminator.edges())
        .filter(|edge| !one.blocks.contains(&edge.block));
    if exits.count() != 1 || one.blocks.contains(&no.block) || !one.blocks.contains(&yes.block) {
        return None;
    }
    let Op::Binary(Binary::LtUnsigned, counter, count) = *function.op(*condition) else {
        return None;
    };
    let at = header.params.iter().position(|&param| param == counter)?;
    let next = Linear::value(counter).plus(&Linear::constant(1), 1);
    let mut forms = LinearForms::new();
    let mut latches = one.latches.clone();
    latches.sort();
    latches.dedup();
    let mut back_edges = latches
        .iter()
        .flat_map(|&latch| function.block(latch).terminator.edges())
        .filter(|edge| edge.block == one.header);
    let counts = function.as_word(entry.args[at]) == Some(0)
        && back_edges.all(|edge| forms.of(function, edge.args[at]) == next);
    counts.then_some(Counted {
        preheader,
        counter,
        count,
    })
}

/// Whether a loop has a barrier.
fn has_barrier(function: &Function, one: &Loop) -> bool {
    let insts = one
        .blocks
        .iter()
        .flat_map(|&block| &function.block(block).insts);
    insts.copied().any(|inst| {
        matches!(
            function.op(inst),
            Op::Host {
                function: HostFunction::Numbered(Host::WorkgroupBarrier | Host::StorageBarrier),
                ..
            }
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::test::{check, unchanged};

    #[test]
    fn a_bounds_check_is_hoisted() {
        check(
            super::run,
            "kernel f(i32, i32, i32)
            b0:
              jump b1(0)
            b1(v0: i32):
              v1: bool = LtUnsigned v0, arg0
              branch v1, b2, b3
            b2:
              v2: i32 = Mul v0, 4
              v3: i32 = Add v2, arg2
              v4: bool = LeUnsigned arg1, v3
              TrapIf v4, Panic v3, arg1
              Store i32 v3, v0
              v5: i32 = Add v0, 1
              jump b1(v5)
            b3:
              return",
            "kernel f(i32, i32, i32)
            b0:
              v14: i32 = Sub arg0, 1
              v16: i32 = Sub -1, arg2
              v17: bool = LeUnsigned 0, v16
              v18: i32 = Add 0, arg2
              v19: i32 = Add 0, arg2
              v20: i32 = Sub -1, arg1
              v21: bool = LeUnsigned 0, v20
              v22: i32 = Add 0, arg1
              v23: i32 = Add 0, arg1
              v24: bool = LtUnsigned v19, v22
              v25: i32 = Sub v22, 1
              v26: i32 = Sub v25, v19
              v27: i32 = DivUnsigned v26, 4
              v28: bool = LeUnsigned v14, v27
              v30: bool = And true, v17
              v31: bool = And v30, v21
              v32: bool = And v31, v24
              v33: bool = And v32, v28
              branch v33, b5(0), b1(0)
            b1(v0: i32):
              v1: bool = LtUnsigned v0, arg0
              branch v1, b2, b4
            b2:
              v2: i32 = Mul v0, 4
              v3: i32 = Add v2, arg2
              v4: bool = LeUnsigned arg1, v3
              TrapIf v4, Panic v3, arg1
              Store i32 v3, v0
              v5: i32 = Add v0, 1
              jump b1(v5)
            b5(v34: i32):
              v35: bool = LtUnsigned v34, arg0
              branch v35, b6, b4
            b4:
              jump b3
            b3:
              return
            b6:
              v36: i32 = Mul v34, 4
              v37: i32 = Add v36, arg2
              v38: bool = LeUnsigned arg1, v37
              Store i32 v37, v34
              v40: i32 = Add v34, 1
              jump b5(v40)",
        );
    }

    #[test]
    fn other_checks_stay() {
        unchanged(
            super::run,
            "kernel f(i32, i32)
            b0:
              jump b1(0)
            b1(v0: i32):
              v1: bool = LtUnsigned v0, arg0
              branch v1, b2, b3
            b2:
              v2: i32 = Load i32 v0
              v3: bool = LeUnsigned arg1, v2
              TrapIf v3, Panic v2, arg1
              v4: i32 = Add v0, 1
              jump b1(v4)
            b3:
              return",
        );
    }

    /// Checks of these forms, with arguments near the ends of their ranges.
    const CHECKS: &[&str] = &[
        "v3: i32 = Mul v0, 4
         v4: i32 = Add v3, arg1
         v5: bool = LeUnsigned arg2, v4",
        "v3: i32 = Mul v0, 1073741824
         v4: i32 = Add v3, arg1
         v5: bool = LeUnsigned arg2, v4",
        "v3: i32 = Mul v0, -3
         v4: i32 = Add v3, arg1
         v5: bool = LeUnsigned arg2, v4",
        "v3: i32 = Mul v0, arg1
         v4: i32 = Mul v3, 2
         v5: bool = LeUnsigned arg2, v4",
        "v3: i32 = Sub arg1, v0
         v4: i32 = Sub v3, 1
         v5: bool = Eq v4, 0",
        "v3: i32 = Mul v0, 2
         v4: i32 = Or v3, 1
         v5: bool = Eq v4, arg1",
        "v3: i32 = Mul v0, -2
         v4: i32 = Add v10, v3
         v5: bool = Eq v4, 1",
        "v3: i32 = Add v9, v0
         v4: i32 = Add v3, -2
         v5: bool = LtUnsigned 7, v4",
        "v3: i32 = Add v11, v0
         v4: i32 = Add v3, 0
         v5: bool = LeUnsigned arg2, v4",
    ];

    #[test]
    fn versions_do_what_the_loop_did() {
        use crate::compile::ir::evaluate::{End, Machine, evaluate};
        use crate::compile::ir::{parse, verify};
        let numbers = [
            0,
            1,
            2,
            3,
            5,
            8,
            13,
            1 << 31,
            u32::MAX - 4,
            u32::MAX - 1,
            u32::MAX,
        ];
        let mut fast = 0;
        for check in CHECKS {
            let text = format!(
                "kernel f(i32, i32, i32) -> i32
                b0:
                  v6: i32 = Load i32 0
                  v7: i32 = Load i32 4
                  v8: bool = LtUnsigned v7, arg1
                  v9: i32 = Select v8, arg1, v7
                  v10: i32 = Sub v9, v7
                  v11: i32 = Mul v6, arg1
                  jump b1(0, 0)
                b1(v0: i32, v1: i32):
                  v2: bool = LtUnsigned v0, arg0
                  branch v2, b2, b3
                b2:
                  {check}
                  TrapIf v5, Panic v0
                  v12: i32 = Add v1, v4
                  v13: i32 = Add v0, 1
                  jump b1(v13, v12)
                b3:
                  v14: i32 = Add v1, v6
                  return v14"
            );
            let original = parse(&text).unwrap();
            let mut changed = original.clone();
            assert!(super::run(&mut changed), "{original}");
            assert_eq!(verify(&changed), Ok(()));
            for at in 0..6 * numbers.len().pow(4) {
                let (turns, mut rest) = (at % 6, at / 6);
                let mut next = || {
                    let number = numbers[rest % numbers.len()];
                    rest /= numbers.len();
                    number
                };
                let (first, second) = (u64::from(next()), u64::from(next()));
                let memory = [next().to_le_bytes(), next().to_le_bytes()].concat();
                let machine = Machine {
                    arguments: vec![turns as u64, first, second],
                    memory,
                    ..Machine::default()
                };
                let (mut before, mut after) = (machine.clone(), machine);
                let expected = evaluate(&original, &mut before, 1000);
                let found = evaluate(&changed, &mut after, 1000);
                assert_eq!(expected, found, "{before:?}\n{changed}");
                fast += u64::from(matches!(expected, End::Returned(_)));
            }
        }
        assert!(fast > 0);
    }
}
