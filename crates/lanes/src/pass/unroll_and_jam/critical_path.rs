//! A cost model of loops: latency and throughput of an iteration.
//!
//! An iteration takes at least as long as the longest dependency chain from the loop-carried values of the previous
//! iteration to those of the next (latency), and at least as long as the CPU takes to issue all its instructions
//! (throughput). Where the latency is much longer, the CPU has time for another subgroup.

use crate::ir::{BlockId, Function, LaneBinary, LaneUnary, Op, Type, WordBinary};
use crate::pass::cfg::Cfg;
use crate::pass::hash::Map;

/// The cost of a loop iteration in cycles.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct IterationCost {
    /// Latency: the length of the longest loop-carried dependency chain.
    pub(super) latency: u32,
    /// Throughput: the cycles to issue all vector instructions, two per cycle, without those in blocks that are not always
    /// executed.
    pub(super) throughput: u32,
}

/// The cost of an iteration of a loop, given its header and its blocks in reverse postorder.
pub(super) fn iteration_cost(
    function: &Function,
    graph: &Cfg,
    header: BlockId,
    blocks: &[BlockId],
) -> IterationCost {
    // By value: when it is ready, if it depends on the previous iteration.
    let parameters = function.block(header).parameters.iter();
    let mut ready: Map<_, u32> = parameters.map(|parameter| (*parameter, 0)).collect();
    let (mut latency, mut insts) = (0, 0);
    let latches = graph.predecessors(header).iter().copied();
    let latches = graph.span(latches.filter(|latch| graph.dominates(header, *latch)));
    for &id in blocks {
        let block = function.block(id);
        let is_always =
            latches.is_none_or(|all| all.map(|latch| graph.dominates(id, latch)) == [true; 2]);
        for inst in &block.insts {
            let Some(result) = inst.result else { continue };
            let operands = inst
                .operands
                .iter()
                .filter_map(|operand| ready.get(operand).copied());
            if let Some(at) = operands.max() {
                ready.insert(result, at + cycles(inst.op));
            }
            let is_lanes = matches!(function.type_of(result), Type::Lanes | Type::Mask);
            insts += u32::from(is_lanes && is_always && !inst.op.is_cheap());
        }
        for edge in block.terminator.edges() {
            let parameters = &function.block(edge.block).parameters;
            for (argument, parameter) in edge.arguments.iter().zip(parameters) {
                let Some(&at) = ready.get(argument) else {
                    continue;
                };
                if edge.block == header {
                    latency = latency.max(at);
                } else {
                    let known = ready.entry(*parameter).or_insert(at);
                    *known = at.max(*known);
                }
            }
        }
    }
    IterationCost {
        latency,
        throughput: insts / 2,
    }
}

/// The approximate latency of an instruction.
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
