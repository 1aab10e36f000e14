//! Decides how values are preserved across barriers: spilled, rematerialized or passed on.
//!
//! A value is rematerialized if that takes few instructions, starting from subgroup-uniform values and the number of
//! the subgroup. Integers and masks qualify. Rematerialization also keeps visible, after the barrier, how indices
//! depend on the lane, which frame loads would hide.

use super::shared::Shared;
use crate::ir::{Function, Inst, LaneBinary, LaneCompare, Op, Value, WordBinary};
use crate::pass::barriers::live::Way;
use crate::pass::graph::Graph;

/// The most instructions to rematerialize a value.
const MOST: u32 = 6;

/// By value: how it is preserved across barriers.
pub(super) fn ways(function: &Function, graph: &Graph, shared: &Shared) -> Vec<Way> {
    let mut ways = vec![Way::Kept; function.types.len()];
    // By value: the number of instructions that compute it from values that need none.
    let mut costs = vec![MOST + 1; function.types.len()];
    for &id in graph.order() {
        let block = function.block(id);
        for value in &block.parameters {
            if shared.is_shared[value.index()] {
                ways[value.index()] = Way::Passed;
                costs[value.index()] = 0;
            }
        }
        for inst in &block.insts {
            let Some(result) = inst.result else { continue };
            let (way, cost) = way(inst, shared.is_shared[result.index()], &costs);
            ways[result.index()] = way;
            costs[result.index()] = cost;
        }
    }
    ways
}

fn way(inst: &Inst, is_shared: bool, costs: &[u32]) -> (Way, u32) {
    if inst.op.is_cheap() {
        return (Way::MadeAgain, 0);
    }
    let of = |it: &Value| costs[it.index()];
    let cost = inst.operands.iter().map(of).fold(1, u32::saturating_add);
    let is_light = is_light(inst.op) && cost <= MOST;
    match is_shared {
        // The word of the broadcast needs less space than its lanes.
        true if matches!(inst.op, Op::Broadcast) && cost <= MOST => (Way::MadeAgain, 1),
        true => (Way::Passed, 0),
        false if is_light => (Way::MadeAgain, cost),
        false => (Way::Kept, MOST + 1),
    }
}

/// Whether an instruction is about as fast as a load of its result from the frame.
fn is_light(op: Op) -> bool {
    match op {
        Op::WordBinary(op) | Op::Binary(LaneBinary::Int(op)) => !is_division(op),
        Op::Compare(LaneCompare::Int(_)) | Op::MaskedCompare(LaneCompare::Int(_)) => true,
        Op::WordCompare(_) | Op::WordSelect | Op::MaskBinary(_) | Op::FromBallot => true,
        Op::Broadcast | Op::Advance | Op::Address => true,
        Op::ShlBy(_) | Op::ShrBy(_) | Op::SarBy(_) => true,
        _ => false,
    }
}

fn is_division(op: WordBinary) -> bool {
    use WordBinary::{DivS, DivU, RemS, RemU};
    matches!(op, DivU | DivS | RemU | RemS)
}
