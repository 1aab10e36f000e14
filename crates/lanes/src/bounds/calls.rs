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
struct PointerStores {
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
    let mut loaded_pointers: Vec<Vec<u32>> = Vec::with_capacity(callees.len());
    let mut called = called.iter();
    for callee in callees {
        let flow = callee.and_then(|_| called.next());
        loaded_pointers.push(match flow {
            Some(flow) => check_function(flow, &loaded_pointers, extents)?,
            None => Vec::new(),
        });
        if let Some(flow) = flow
            && flow.function.barriers > 0
        {
            let message = "a function that is called has barriers";
            return Err(BoundsError::Rejected(message.to_owned()));
        }
    }
    if let Some(slot) = check_function(entry, &loaded_pointers, extents)?.first() {
        return Err(BoundsError::Rejected(format!(
            "a pointer is loaded from byte {slot} of the frame before it is stored there"
        )));
    }
    Ok(())
}

/// Checks a function, given the slots that each callee needs. Returns the slots that the function needs.
fn check_function(
    flow: &Flow<'_>,
    loaded_pointers: &[Vec<u32>],
    extents: &Extents,
) -> Result<Vec<u32>, BoundsError> {
    let function = flow.function;
    let stores = pointer_stores(flow);
    let is_stored_before = |slot: u32, block: BlockId, index: usize| {
        // Arguments are stored just before a call.
        let first = stores.first.get(&(slot, block));
        first.is_some_and(|first| *first < index)
            || stores.blocks.get(&slot).is_some_and(|blocks| {
                let mut others = blocks.iter().filter(|other| **other != block);
                others.any(|other| flow.graph.dominates(*other, block))
            })
    };
    let mut loaded_first = Vec::new();
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
                    let Some(slots) = loaded_pointers.get(number as usize) else {
                        return broken("only functions with lower numbers are called");
                    };
                    if !slots
                        .iter()
                        .all(|slot| is_stored_before(*slot, block, index))
                    {
                        return broken(
                            "the function loads a pointer that may not have been stored",
                        );
                    }
                }
                Op::FrameLoad(slot)
                    if is_pointer(function, inst) && !is_stored_before(slot, block, index) =>
                {
                    loaded_first.push(slot);
                }
                _ => {}
            }
        }
    }
    let entry = function.block(Function::ENTRY);
    if matches!(entry.terminator, Terminator::Resume(_))
        && let Some(index) = entry.insts.iter().position(|inst| !is_constant(inst.op))
    {
        let reason = "a function with barriers computes it again at every call";
        let inst = &entry.insts[index];
        return Err(BoundsError::at(Function::ENTRY, index, inst, reason));
    }
    loaded_first.sort_unstable();
    loaded_first.dedup();
    Ok(loaded_first)
}

fn pointer_stores(flow: &Flow<'_>) -> PointerStores {
    let mut stores = PointerStores::default();
    for &block in flow.graph.order() {
        for (index, inst) in flow.function.block(block).insts.iter().enumerate() {
            if let Op::FrameStore(slot) = inst.op
                && flow.function.type_of(inst.operands[0]) == Type::Pointer
            {
                stores.first.entry((slot, block)).or_insert_with(|| {
                    stores.blocks.entry(slot).or_default().push(block);
                    index
                });
            }
        }
    }
    stores
}

fn is_pointer(function: &Function, inst: &Inst) -> bool {
    let result = inst.result.map(|value| function.type_of(value));
    result == Some(Type::Pointer)
}

fn is_constant(op: Op) -> bool {
    use Op::{Base, ContextField, Length, Mask, Pattern, Splat, Word};
    matches!(
        op,
        Word(_) | Splat(_) | Pattern(_) | Mask(_) | Base(_) | Length(_) | ContextField(_)
    )
}
