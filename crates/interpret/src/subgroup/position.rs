//! How far a lane is: a key by which the lanes of a subgroup find each other again.
//!
//! In: an instruction that a lane waits at, and its registers. Out: its *position*, a list of numbers
//! compared one by one. From the outside in, for every call that the lane is in, where the call
//! stands; for every loop that it is in, where the loop begins and in which iteration the lane is; and
//! at last the instruction.
//!
//! Lanes act together if their positions are equal, and those with the least position act first,
//! once every lane of the subgroup waits. That is *maximal reconvergence*: lanes that enter a
//! construct together are together again behind it, and in a loop those that are in the same iteration
//! of it are together. Why it is right:
//!
//! - **A lane's position only grows.** The code of a function is in the order of the program: both
//!   branches of an `if`, the cases of a `switch`, the body of a loop and its `continuing` stand in
//!   that order, and what follows a construct stands behind it. So every jump goes forward, also
//!   those of `break`, `continue` and `return`, but for the one back to the start of a loop, and there
//!   the iteration grows, which counts more than everything inside of the loop. (`continuing` of
//!   iteration k is therefore before all of iteration k + 1.) What is inside of a call stands where
//!   the call stands, which is before all that follows it.
//! - **So the first wait for nobody in vain.** A lane at a greater position cannot come to a lesser
//!   one any more, and all others have ended or wait for the whole workgroup. Those at the least
//!   position are all that will ever come there.
//! - **Equal positions mean: together ever since the start.** Lanes with equal positions made the same
//!   calls at the same places in the same iterations, so each construct around them was entered by all
//!   of them in the same execution of what is around that one, and so on to the beginning. In
//!   between one may have taken another branch; it is behind that construct now, where they meet.
//! - **Different positions mean: not together.** At the same instruction they differ in a call or an
//!   iteration. A function called in both branches of an `if` runs twice, once for each branch.

use crate::code::{Code, Pc};

/// A place in a subgroup's execution; empty for a lane that is at no collective operation.
pub(super) type Position = Vec<u64>;

/// Finds the position of a lane that waits at `pc`.
pub(super) fn find(code: &Code, pc: Pc, registers: &[u32], position: &mut Position) {
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
        // The return address is the instruction behind the call.
        at = registers[link as usize] - 1;
    }
    position.reverse();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{FunctionCode, LoopCode};

    #[test]
    fn iterations_are_counted_beyond_32_bits() {
        let code = Code {
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
            ..Code::default()
        };
        let at = |pc, counter: [u32; 2]| {
            let mut position = Position::new();
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
