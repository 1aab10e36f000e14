//! Reconvergence of the lanes of a subgroup (maximal reconvergence).
//!
//! In: the instruction at which a lane waits, and its registers. Out: its *position*, a list of numbers in
//! lexicographic order. From the outside in: for every active call, the address of the call; for every enclosing
//! loop, its start and the lane's iteration; finally the instruction itself.
//!
//! Lanes are converged if their positions are equal, and those with the least position act first, once every lane
//! of the subgroup waits. That is *maximal reconvergence*: lanes that enter a construct together are together again
//! after it, and in a loop the lanes of the same iteration are together. Why this is correct:
//!
//! - **A lane's position only grows.** Code is in program order: both branches of an `if`, the cases of a `switch`,
//!   the body of a loop and its `continuing` are emitted in that order, followed by the code after the construct.
//!   So every jump is a forward jump, also `break`, `continue` and `return`, except the back edge of a loop, which
//!   increments the iteration, and that precedes everything inside the loop in the comparison. (`continuing` of
//!   iteration k is therefore before all of iteration k + 1.) Code inside a call has the position of the call,
//!   which is before everything after it.
//! - **So the first lanes miss nobody.** A lane at a greater position cannot reach a lesser one any more, and all
//!   others have ended or wait for the whole workgroup. Those at the least position are all that will ever arrive
//!   there.
//! - **Equal positions mean converged since the start.** Lanes with equal positions made the same calls at the same
//!   places in the same iterations, so each enclosing construct was entered by all of them in the same execution of
//!   the construct around it, and so on. In between, one of them may have taken another branch; it has left that
//!   construct, at whose end they reconverge.
//! - **Different positions mean not converged.** At the same instruction they differ in a call or an iteration. A
//!   function called in both branches of an `if` runs twice, once for each branch.

use crate::bytecode::{Bytecode, Pc};

/// A position in the execution of a subgroup; empty for a lane that is not at a collective operation.
pub(super) type LanePosition = Vec<u64>;

/// Computes the position of a lane that waits at `pc`.
pub(super) fn find(code: &Bytecode, pc: Pc, registers: &[u32], position: &mut LanePosition) {
    position.clear();
    let mut at = pc;
    loop {
        position.push(at.into());
        for around in code.loops_around(at) {
            let [low, high] = [0, 1].map(|word| registers[around.counter as usize + word]);
            position.push(u64::from(high) << 32 | u64::from(low));
            position.push(around.start.into());
        }
        let Some(link) = code.link(at) else {
            break;
        };
        // The return address is the instruction after the call.
        at = registers[link as usize] - 1;
    }
    position.reverse();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytecode::{FunctionCode, LoopCode};

    #[test]
    fn iterations_are_counted_beyond_32_bits() {
        let code = Bytecode {
            functions: vec![FunctionCode {
                start: 0,
                link: None,
            }],
            loops: vec![LoopCode {
                start: 3,
                end: 9,
                counter: 0,
                parent: None,
            }],
            ..Bytecode::default()
        };
        let at = |pc, counter: [u32; 2]| {
            let mut position = LanePosition::new();
            find(&code, pc, &counter, &mut position);
            position
        };
        assert_eq!(at(5, [u32::MAX, 0]), [3, 0xffff_ffff, 5]);
        let in_order = [
            at(2, [0, 0]),
            at(5, [u32::MAX, 0]),
            at(4, [0, 1]),
            at(10, [1, 0]),
        ];
        assert!(in_order.is_sorted());
    }
}
