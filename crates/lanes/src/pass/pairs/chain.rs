//! How long a loop waits for its own results.
//!
//! A turn of a loop takes at least as long as the longest chain of instructions from what the last turn has left to what
//! it leaves for the next, and at least as long as the machine takes to begin all its instructions. Where the chain is
//! much longer than that, the machine has time for another subgroup.

use crate::ir::{BlockId, Function, LaneBinary, LaneUnary, Op, Type, WordBinary};
use crate::pass::graph::Graph;

/// Cycles of a turn of a loop.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Turn {
    /// Of the longest chain from one turn to the next.
    pub(super) chain: u32,
    /// To begin all instructions of lanes, two in each, but for those in blocks that are not always done.
    pub(super) work: u32,
}

/// What a turn takes of a loop with a head, a block that goes back to it, and blocks, each before those that it dominates.
pub(super) fn turn(
    function: &Function,
    graph: &Graph,
    header: BlockId,
    blocks: &[BlockId],
) -> Turn {
    // By value: when it is there, if it depends on the turn before.
    let mut ready: Vec<Option<u32>> = vec![None; function.types.len()];
    for parameter in &function.block(header).parameters {
        ready[parameter.index()] = Some(0);
    }
    let (mut chain, mut insts) = (0, 0);
    let latches = graph.predecessors(header).iter();
    let latches: Vec<_> = latches.filter(|it| blocks.contains(it)).collect();
    for &id in blocks {
        let block = function.block(id);
        let is_always = latches.iter().all(|it| graph.dominates(id, **it));
        for inst in &block.insts {
            let Some(result) = inst.result else { continue };
            let operands = inst.operands.iter().filter_map(|it| ready[it.index()]);
            ready[result.index()] = operands.max().map(|it| it + cycles(inst.op));
            let is_lanes = matches!(function.type_of(result), Type::Lanes | Type::Mask);
            insts += u32::from(is_lanes && is_always && !inst.op.is_cheap());
        }
        for edge in block.terminator.edges() {
            let parameters = &function.block(edge.block).parameters;
            for (argument, parameter) in edge.arguments.iter().zip(parameters) {
                let Some(at) = ready[argument.index()] else {
                    continue;
                };
                if edge.block == header {
                    chain = chain.max(at);
                } else {
                    let known = &mut ready[parameter.index()];
                    *known = Some(known.map_or(at, |it| it.max(at)));
                }
            }
        }
    }
    Turn {
        chain,
        work: insts / 2,
    }
}

/// About how long an instruction takes.
fn cycles(op: Op) -> u32 {
    use WordBinary::{DivS, DivU, Mul, RemS, RemU};
    match op {
        Op::Fma | Op::MaskedFma => 4,
        Op::Binary(op) | Op::Masked(op) => match op {
            LaneBinary::DivF => 16,
            LaneBinary::Int(DivU | DivS | RemU | RemS) => 30,
            LaneBinary::Int(Mul) => 8,
            LaneBinary::Int(_) => 1,
            _ => 4,
        },
        Op::Unary(LaneUnary::Sqrt) => 18,
        Op::Unary(_) => 5,
        Op::Compare(_) | Op::MaskedCompare(_) | Op::Permute => 3,
        Op::Select => 2,
        _ => 1,
    }
}
