//! Stores of what nobody needs soon are streamed: they need not bring into a cache what they overwrite.
//!
//! In: any function. Out: the same, with [`Op::StreamRow`] for rows with a limit that are stored once for each subgroup,
//! to a buffer that the function does not read. Such stores are seen by other threads later than those behind them. Whoever
//! could tell runs the same kernel and reads the buffer, so that it is not streamed; for programs that bend this rule there
//! are none in a function that changes buffers by atomic instructions, or that calls.

use super::Subgroups;
use super::graph::Graph;
use super::loops::Loops;
use super::memory::{Memory, Overlap};
use crate::ir::{Function, Inst, Op, Sharing};

/// Runs the pass.
pub fn run(function: &mut Function, subgroups: Subgroups) {
    let insts = || function.blocks.iter().flat_map(|it| &it.insts);
    if insts().all(|it| offset(it).is_none()) || insts().any(is_told) {
        return;
    }
    let graph = Graph::new(function);
    let loops = Loops::new(&graph, function.blocks.len());
    let memory = Memory::new(function, &graph, Overlap::None);
    let read = insts().fold(0, |all, it| all | memory.read_by(it));
    let most = match subgroups {
        // The loop over one subgroup may be gone.
        Subgroups::Looped(2..) => 1,
        _ => 0,
    };
    for &block in graph.order() {
        if loops.depth(block) > most {
            continue;
        }
        for inst in &mut function.block_mut(block).insts {
            if let Some(offset) = offset(inst)
                && memory.written_by(inst) & read == 0
            {
                inst.op = Op::StreamRow(offset);
            }
        }
    }
}

/// The offset of a row that can be streamed.
fn offset(inst: &Inst) -> Option<i32> {
    match inst.op {
        Op::StoreRow(row) if row.is_limited && !row.is_masked => Some(row.offset),
        _ => None,
    }
}

/// Whether others may learn by an instruction what was stored before it.
fn is_told(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::Call(..)
            | Op::Atomic(_, Sharing::Threads, _)
            | Op::CompareExchange(Sharing::Threads, _)
            | Op::AtomicWide(_, Sharing::Threads, _)
            | Op::CompareExchangeWide(Sharing::Threads, _)
    )
}
