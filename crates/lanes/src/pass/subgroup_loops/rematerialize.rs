//! Decides how values are preserved across barriers: spilled, rematerialized or passed on.
//!
//! A value is rematerialized if that takes few instructions, starting from subgroup-uniform values and the number of
//! the subgroup. Integers and masks qualify. Rematerialization also keeps visible, after the barrier, how indices
//! depend on the lane, which frame loads would hide.

use super::divergence::SubgroupUniformity;
use crate::ir::{Function, Inst, LaneBinary, LaneCompare, Op, Value, WordBinary};
use crate::pass::barrier_split::spill::Preservation;
use crate::pass::cfg::Cfg;

/// The most instructions to rematerialize a value.
const MAX_COST: u32 = 6;

/// By value: how it is preserved across barriers.
pub(super) fn preservations(
    function: &Function,
    graph: &Cfg,
    uniformity: &SubgroupUniformity,
) -> Vec<Preservation> {
    let mut preservations = vec![Preservation::Spilled; function.types.len()];
    // By value: the number of instructions that compute it from values that need none.
    let mut costs = vec![MAX_COST + 1; function.types.len()];
    for &id in graph.order() {
        let block = function.block(id);
        for value in &block.parameters {
            if uniformity.is_uniform[value.index()] {
                preservations[value.index()] = Preservation::Passed;
                costs[value.index()] = 0;
            }
        }
        for inst in &block.insts {
            let Some(result) = inst.result else { continue };
            let (preservation, cost) =
                preservation(inst, uniformity.is_uniform[result.index()], &costs);
            preservations[result.index()] = preservation;
            costs[result.index()] = cost;
        }
    }
    preservations
}

fn preservation(inst: &Inst, is_uniform: bool, costs: &[u32]) -> (Preservation, u32) {
    if inst.op.is_cheap() {
        return (Preservation::Rematerialized, 0);
    }
    let of = |value: &Value| costs[value.index()];
    let cost = inst.operands.iter().map(of).fold(1, u32::saturating_add);
    let is_light = is_light(inst.op) && cost <= MAX_COST;
    match is_uniform {
        // The word of the broadcast needs less space than its lanes.
        true if matches!(inst.op, Op::Broadcast) && cost <= MAX_COST => {
            (Preservation::Rematerialized, 1)
        }
        true => (Preservation::Passed, 0),
        false if is_light => (Preservation::Rematerialized, cost),
        false => (Preservation::Spilled, MAX_COST + 1),
    }
}

/// Whether an instruction is about as fast as a load of its result from the frame.
fn is_light(op: Op) -> bool {
    match op {
        Op::WordBinary(op) | Op::Binary(LaneBinary::Int(op)) => !is_division(op),
        Op::Compare(LaneCompare::Int(_)) | Op::MaskedCompare(LaneCompare::Int(_)) => true,
        Op::WordCompare(_) | Op::WordSelect | Op::MaskBinary(_) | Op::FromBallot => true,
        Op::Broadcast | Op::Advance | Op::AdvanceOrZeros => true,
        Op::ShlBy(_) | Op::ShrBy(_) | Op::SarBy(_) => true,
        _ => false,
    }
}

fn is_division(op: WordBinary) -> bool {
    use WordBinary::{DivS, DivU, RemS, RemU};
    matches!(op, DivU | DivS | RemU | RemS)
}
