//! A bounds verifier for the final IR of a kernel: proves that every memory access is in bounds.
//!
//! In: the functions of a kernel after all passes, and the sizes of the memories that they receive. Out: nothing, or
//! the first access that is not proven to be in bounds. It is an independent abstract interpretation, which shares no
//! reasoning with the passes: a pass that removes a necessary check is detected here, whatever the reason.
//!
//! Each access must be proven from its own operands: by its limit, by a comparison of that very index in its mask or in
//! the condition of its address, by a dominating branch condition, or by the range of its index (`prove`). Integers are
//! compared as linear forms (`linear`), ranges are intervals with known zero bits (`value_ranges`), and a value that is
//! stored to the frame before a barrier is the same value after it (`flow`).
//!
//! What always holds: a verified kernel accesses only the memories of [`Extents`] and its frame, in every lane, for
//! every input and every length of the bound buffers, provided that the run passes memories of these sizes. The
//! verifier is sound but not complete: a rejected kernel may still be right. The time is linear in the size of the
//! function.

mod access;
mod calls;
mod extent;
mod fact;
mod flow;
mod frame_slots;
mod linear;
mod prove;
mod range;
mod value_ranges;

use anywarp_program::work::{Meter, OverBudget};

use crate::ir::{BlockId, Function, Inst, Op};
use crate::text;
use crate::{BufferSource, HostCalls, LoweredKernel};

pub use extent::{BufferExtent, Extents};

use access::Access;
use flow::Flow;
use frame_slots::FrameSlots;
use linear::LinearForms;
use prove::{ProofBudget, Prover};
use value_ranges::Ranges;

/// Why a kernel is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoundsError {
    /// An access that is not proven to be in bounds, or a broken rule of calls and frames.
    #[error("{0}")]
    Rejected(String),
    /// The proof takes more work than the meter allows.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
}

impl BoundsError {
    fn at(block: BlockId, index: usize, inst: &Inst, reason: &str) -> Self {
        Self::Rejected(format!("{}: {reason}", text::location(block, index, inst)))
    }
}

/// Proves that every memory access of a kernel is in bounds.
///
/// `callees` has the callees of [`Op::Call`], by number; `None` is a host function.
///
/// # Errors
///
/// The first access that cannot be proven, with its block and instruction; or the limit that the proof exceeds.
pub fn check(
    entry: &Function,
    callees: &[Option<&Function>],
    extents: &Extents,
    meter: &Meter,
) -> Result<(), BoundsError> {
    let called = callees.iter().flatten().copied();
    let functions: Vec<_> = called.chain([entry]).collect();
    let slots = FrameSlots::new(&functions, &extents.host_rows).map_err(|(one, other)| {
        BoundsError::Rejected(format!(
            "the slots at bytes {one} and {other} of the frame overlap"
        ))
    })?;
    let flows = functions.iter().enumerate();
    let flows =
        flows.map(|(number, function)| Flow::new(function, |slot| slots.is_private(slot, number)));
    let flows: Vec<_> = flows.collect();
    calls::check(&flows, callees, extents)?;
    flows
        .iter()
        .try_for_each(|flow| check_function(flow, extents, &slots, meter))
}

fn check_function(
    flow: &Flow<'_>,
    extents: &Extents,
    slots: &FrameSlots,
    meter: &Meter,
) -> Result<(), BoundsError> {
    let prover = Prover {
        flow,
        forms: &LinearForms::new(flow, meter),
        ranges: &Ranges::new(flow, extents.subgroups),
        extents,
        slots,
        budget: &ProofBudget::new(meter),
    };
    for &block in flow.graph.order() {
        for (index, inst) in flow.function.block(block).insts.iter().enumerate() {
            if !is_proven(&prover, inst, block) {
                // A search that was cut short proves nothing.
                meter.tick(0)?;
                let reason = "not shown to stay inside its memory";
                return Err(BoundsError::at(block, index, inst, reason));
            }
        }
    }
    Ok(())
}

fn is_proven(prover: &Prover<'_, '_>, inst: &Inst, block: BlockId) -> bool {
    let function = prover.flow.function;
    let at_slot = |offset: u32, bytes: u32| {
        let part = prover.ranges.of(inst.operands[0], block);
        let end = u64::from(part.max) + u64::from(offset) + u64::from(bytes);
        end <= function.frame_bytes.into() && part.trailing_zeros() >= 6
    };
    match inst.op {
        Op::LoadPointer(offset) => prover.is_entry(inst.operands[0], offset, block),
        Op::FrameStoreAt(offset) => {
            let bytes = function.type_of(inst.operands[1]).bytes(function.lanes);
            at_slot(offset, bytes)
        }
        Op::FrameLoadAt(offset) => inst
            .result
            .is_some_and(|value| at_slot(offset, function.type_of(value).bytes(function.lanes))),
        _ => {
            let accesses = Access::of(inst, function.lanes);
            accesses.iter().all(|access| prover.holds(access, block))
        }
    }
}

impl Extents {
    /// The memory sizes of a lowered kernel. `least` returns the smallest size of a binding in words, by `@group` and
    /// `@binding`, and whether it is an array of bindings.
    pub fn of(lowered: &LoweredKernel, least: impl Fn(u32, u32) -> Option<(u32, bool)>) -> Self {
        let buffers = lowered.buffers.iter().map(|bound| match *bound {
            BufferSource::Buffer(group, binding) => match least(group, binding) {
                Some((words, true)) => BufferExtent::Entries(words),
                Some((words, false)) => BufferExtent::Words(words),
                None => BufferExtent::Words(0),
            },
            BufferSource::Level(_) => BufferExtent::Level,
            BufferSource::Texels(_) => BufferExtent::Words(0),
        });
        let rows = if lowered.host_calls.list.is_empty() {
            0
        } else {
            HostCalls::ROWS * lowered.function.lanes * 4
        };
        let invocations: u32 = lowered.workgroup_size.iter().product();
        Self {
            buffers: buffers.collect(),
            workgroup_words: lowered.workgroup_words,
            immediate_words: lowered.immediate_words,
            constant_words: lowered.constants.len() as u32,
            host_rows: lowered.host_calls.frame_offset..lowered.host_calls.frame_offset + rows,
            subgroups: Some(invocations.div_ceil(lowered.function.lanes)),
        }
    }
}
