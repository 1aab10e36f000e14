//! Non-temporal stores: outputs that the kernel does not read bypass the caches.
//!
//! In: any function. Out: the same function, with [`Op::StoreRowNonTemporal`] for rows with a limit that are stored
//! once for each subgroup, to a buffer that the function does not read. Writing whole cache lines this way avoids
//! reading them first.
//!
//! Non-temporal stores are weakly ordered: other threads may see them after later stores. A thread of the same kernel
//! that could observe this reads the buffer, which excludes it. In case a program breaks this rule, functions with
//! calls or with atomic instructions on buffers are not changed.

use super::Subgroups;
use super::alias::{AliasAnalysis, BufferAliasing};
use super::cfg::Cfg;
use super::loops::Loops;
use crate::ir::{AtomicScope, Function, Inst, Op};

/// Runs the pass.
pub fn run(function: &mut Function, subgroups: Subgroups) {
    let insts = || function.blocks.iter().flat_map(|block| &block.insts);
    if insts().all(|inst| offset(inst).is_none()) || insts().any(is_release) {
        return;
    }
    let graph = Cfg::new(function);
    let loops = Loops::new(&graph, function.blocks.len());
    let memory = AliasAnalysis::new(function, &graph, BufferAliasing::None);
    let read = insts().fold(0, |all, inst| all | memory.read_by(inst));
    let max_depth = match subgroups {
        // The loop over a single subgroup may have been removed.
        Subgroups::Looped(2..) => 1,
        _ => 0,
    };
    for &block in graph.order() {
        if loops.depth(block) > max_depth {
            continue;
        }
        for inst in &mut function.block_mut(block).insts {
            if let Some(offset) = offset(inst)
                && memory.written_by(inst) & read == 0
            {
                inst.op = Op::StoreRowNonTemporal(offset);
            }
        }
    }
}

/// The offset of a store that can be non-temporal.
fn offset(inst: &Inst) -> Option<i32> {
    match inst.op {
        Op::StoreRow(row) if row.is_limited && !row.is_masked => Some(row.offset),
        _ => None,
    }
}

/// Whether another thread may use an instruction to synchronize with earlier stores.
fn is_release(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::Call(..)
            | Op::Atomic(_, AtomicScope::Threads, _)
            | Op::CompareExchange(AtomicScope::Threads, _)
            | Op::Atomic64(_, AtomicScope::Threads, _)
            | Op::CompareExchange64(AtomicScope::Threads, _)
    )
}
