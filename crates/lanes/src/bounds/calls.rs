//! Rules of calls and frames on which the proofs of single functions rely.
//!
//! In: the control flow of a kernel's functions, callees first. Out: nothing, or the first instruction that breaks a rule:
//!
//! - A function calls only callees with lower numbers than its own, and callees have no barriers.
//! - Buffer numbers are indices of [`Extents::buffers`], and the rows of host calls are in the frame.
//! - A function with barriers runs its first block at every call, so only constants are computed there.
//! - A pointer is loaded from a frame slot only after a store to it: on every path in the same function, or before
//!   every call of it.

use crate::ir::{BlockId, Function, Inst, Op, Space, Terminator, Type};
use crate::pass::hash::Map;

use super::BoundsError;
use super::extent::Extents;
use super::flow::Flow;

/// The frame slots to which pointers are stored.
#[derive(Default)]
struct Keeps {
    /// By slot and block: the first instruction that stores a pointer.
    first: Map<(u32, BlockId), usize>,
    /// By slot: the blocks that store a pointer.
    blocks: Map<u32, Vec<BlockId>>,
}

pub(super) fn check(
    flows: &[Flow<'_>],
    callees: &[Option<&Function>],
    extents: &Extents,
) -> Result<(), BoundsError> {
    let (entry, called) = flows.split_last().expect("a kernel has an entry point");
    if extents.host_rows.end > entry.function.frame_bytes {
        let message = "the rows of host calls are not in the frame";
        return Err(BoundsError::Rejected(message.to_owned()));
    }
    // By number of a callee: the slots of the pointers that callers pass.
    let mut passed: Vec<Vec<u32>> = Vec::with_capacity(callees.len());
    let mut called = called.iter();
    for callee in callees {
        let flow = callee.and_then(|_| called.next());
        passed.push(match flow {
            Some(flow) => check_function(flow, &passed, extents)?,
            None => Vec::new(),
        });
        if let Some(flow) = flow
            && flow.function.barriers > 0
        {
            let message = "a function that is called has barriers";
            return Err(BoundsError::Rejected(message.to_owned()));
        }
    }
    if let Some(slot) = check_function(entry, &passed, extents)?.first() {
        return Err(BoundsError::Rejected(format!(
            "a pointer is recalled from byte {slot} of the frame, where it may not have been kept"
        )));
    }
    Ok(())
}

/// Checks a function, given the slots that each callee needs. Returns the slots that the function needs.
fn check_function(
    flow: &Flow<'_>,
    passed: &[Vec<u32>],
    extents: &Extents,
) -> Result<Vec<u32>, BoundsError> {
    let function = flow.function;
    let keeps = keeps(flow);
    let is_kept = |slot: u32, block: BlockId, index: usize| {
        // Arguments are stored just before a call.
        let first = keeps.first.get(&(slot, block));
        first.is_some_and(|it| *it < index)
            || keeps.blocks.get(&slot).is_some_and(|blocks| {
                let mut others = blocks.iter().filter(|it| **it != block);
                others.any(|it| flow.graph.dominates(*it, block))
            })
    };
    let mut needed = Vec::new();
    for &block in flow.graph.order() {
        for (index, inst) in function.block(block).insts.iter().enumerate() {
            let broken = |reason: &str| Err(BoundsError::at(block, index, inst, reason));
            match inst.op {
                Op::Length(number) | Op::Base(Space::Buffer(number))
                    if number as usize >= extents.buffers.len() =>
                {
                    return broken("there is no such buffer");
                }
                Op::Call(number, _) => {
                    let Some(slots) = passed.get(number as usize) else {
                        return broken("only functions with lower numbers are called");
                    };
                    if !slots.iter().all(|it| is_kept(*it, block, index)) {
                        return broken(
                            "a pointer that the function recalls may not have been kept",
                        );
                    }
                }
                Op::FrameLoad(slot)
                    if is_pointer(function, inst) && !is_kept(slot, block, index) =>
                {
                    needed.push(slot);
                }
                _ => {}
            }
        }
    }
    let entry = function.block(Function::ENTRY);
    if matches!(entry.terminator, Terminator::Resume(_))
        && let Some(index) = entry.insts.iter().position(|it| !is_constant(it.op))
    {
        let reason = "computed again at every call";
        let inst = &entry.insts[index];
        return Err(BoundsError::at(Function::ENTRY, index, inst, reason));
    }
    needed.sort_unstable();
    needed.dedup();
    Ok(needed)
}

fn keeps(flow: &Flow<'_>) -> Keeps {
    let mut keeps = Keeps::default();
    for &block in flow.graph.order() {
        for (index, inst) in flow.function.block(block).insts.iter().enumerate() {
            if let Op::FrameStore(slot) = inst.op
                && flow.function.type_of(inst.operands[0]) == Type::Pointer
            {
                keeps.first.entry((slot, block)).or_insert_with(|| {
                    keeps.blocks.entry(slot).or_default().push(block);
                    index
                });
            }
        }
    }
    keeps
}

fn is_pointer(function: &Function, inst: &Inst) -> bool {
    let result = inst.result.map(|it| function.type_of(it));
    result == Some(Type::Pointer)
}

fn is_constant(op: Op) -> bool {
    use Op::{Base, ContextField, Length, Mask, Pattern, Splat, Word};
    matches!(
        op,
        Word(_) | Splat(_) | Pattern(_) | Mask(_) | Base(_) | Length(_) | ContextField(_)
    )
}
