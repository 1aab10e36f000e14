//! Splits a function at barriers into resumable states (LLVM: CoroSplit).
//!
//! In: any function. Out: the same function without [`Terminator::Suspend`]. A barrier becomes a return of the
//! barrier's number. A new entry block dispatches on that number ([`Terminator::Resume`]) to a block for each barrier,
//! which restores the values that live across it, and continues after the barrier.
//!
//! Live values are spilled to the frame, as in the frame of a coroutine: one slot for each value, however many barriers
//! it lives across, stored once, before the first barrier and outside the loops that contain it. Constants and
//! broadcasts are rematerialized; constants in each block that uses them. Slots are appended to the existing frame. A
//! function without barriers is not changed.

pub(super) mod spill;

use anywarp_program::work::{Meter, OverBudget};

use super::cfg::Cfg;
use super::remove_blocks;
use super::sink_constants;
use super::ssa_repair::{self, Redefined};
use super::value_def::{ValueDef, definition, value_defs};
use crate::ir::{BlockId, CallOutcome, Edge, Function, Inst, Op, Terminator, Type, Value};

use spill::{LiveAcross, Preservation, Site};

/// Runs the pass.
pub fn run(function: &mut Function) {
    // An unlimited meter does not return errors.
    let _ = run_within(function, &Meter::unlimited());
}

/// Runs the pass within limits.
pub(super) fn run_within(function: &mut Function, meter: &Meter) -> Result<(), OverBudget> {
    let is_barrier = |terminator: &Terminator| matches!(terminator, Terminator::Suspend(..));
    if !function
        .blocks
        .iter()
        .any(|block| is_barrier(&block.terminator))
    {
        return Ok(());
    }
    remove_blocks::unreachable(function);
    sink_constants::run(function);
    let graph = Cfg::new(function);
    let value_defs = value_defs(function);
    // The word of a broadcast takes a fraction of the frame space of its lanes.
    let is_rematerializable = |inst: &Inst| inst.op.is_cheap() || matches!(inst.op, Op::Broadcast);
    let preservation = |value| match definition(function, &value_defs, value) {
        Some(inst) if is_rematerializable(inst) => Preservation::Rematerialized,
        _ => Preservation::Spilled,
    };
    let live_across = spill::find_live_across(function, &graph, preservation, meter)?;
    let offsets = Offsets::new(function, &live_across.spills);
    for &(value, block) in &live_across.spills {
        let store = Inst {
            op: Op::FrameStore(offsets.of(value)),
            operands: smallvec::smallvec![value],
            result: None,
        };
        function.block_mut(block).insts.push(store);
    }
    let (blocks, redefined) = add_blocks(function, &live_across, &offsets);
    cut_edges(function);
    add_entry(function, &blocks);
    ssa_repair::run(function, &redefined, meter)
}

/// The frame slots of spilled values, by value.
pub(super) struct Offsets(Vec<u32>);

impl Offsets {
    /// Allocates a slot for each spilled value, after the existing frame.
    pub(super) fn new(function: &mut Function, spills: &[(Value, BlockId)]) -> Self {
        let mut offsets = vec![u32::MAX; function.types.len()];
        let mut next = function.frame_bytes;
        // From the widest to the narrowest type, so that there is no padding.
        for ty in [Type::Lanes, Type::Pointer, Type::Word, Type::Mask] {
            let size = ty.bytes(function.lanes);
            next = next.next_multiple_of(size);
            for (value, _) in spills
                .iter()
                .filter(|spill| function.type_of(spill.0) == ty)
            {
                offsets[value.index()] = next;
                next += size;
            }
        }
        function.frame_bytes = next.next_multiple_of(64);
        Self(offsets)
    }

    /// The offset of the slot of a value; `u32::MAX` if it has none.
    pub(super) fn of(&self, value: Value) -> u32 {
        self.0[value.index()]
    }
}

/// Adds a block for each barrier, which restores live values and continues. Returns the blocks, and the new definitions
/// of the values for SSA repair.
fn add_blocks(
    function: &mut Function,
    live_across: &LiveAcross,
    offsets: &Offsets,
) -> (Vec<Option<BlockId>>, Vec<Redefined>) {
    let value_defs = value_defs(function);
    let mut numbers = vec![usize::MAX; function.types.len()];
    let mut redefined: Vec<Redefined> = Vec::new();
    let mut blocks = vec![None; live_across.sites.len()];
    for (site, id) in live_across.sites.iter().zip(&mut blocks) {
        if site.from.is_none() {
            continue;
        }
        let block = add_block(function, &value_defs, site, offsets);
        *id = Some(block);
        let results = function
            .block(block)
            .insts
            .iter()
            .filter_map(|inst| inst.result);
        for (&value, result) in site.live_values.iter().zip(results) {
            let number = &mut numbers[value.index()];
            if *number == usize::MAX {
                *number = redefined.len();
                redefined.push(Redefined {
                    value,
                    definitions: Vec::new(),
                });
            }
            redefined[*number].definitions.push((block, result));
        }
    }
    (blocks, redefined)
}

fn add_block(
    function: &mut Function,
    value_defs: &[ValueDef],
    site: &Site,
    offsets: &Offsets,
) -> BlockId {
    let mut names = super::hash::Map::<Value, Value>::default();
    let mut insts = Vec::with_capacity(site.live_values.len());
    for &value in &site.live_values {
        let result = function.add_value(function.type_of(value));
        let mut inst = match offsets.of(value) {
            u32::MAX => definition(function, value_defs, value).cloned(),
            offset => Some(Inst {
                op: Op::FrameLoad(offset),
                operands: Default::default(),
                result: None,
            }),
        }
        .unwrap_or_else(|| unreachable!("a rematerialized value is the result of an instruction"));
        inst.operands
            .iter_mut()
            .for_each(|operand| *operand = names[operand]);
        inst.result = Some(result);
        insts.push(inst);
        names.insert(value, result);
    }
    let id = function.add_block();
    let block = function.block_mut(id);
    block.insts = insts;
    block.terminator = Terminator::Jump(Edge::to(site.target));
    id
}

fn cut_edges(function: &mut Function) {
    for block in &mut function.blocks {
        if let Terminator::Suspend(number, _) = block.terminator {
            block.terminator = Terminator::Return(CallOutcome(number));
        }
    }
}

/// Adds a new entry block, which dispatches to the old one or to the block of a barrier.
fn add_entry(function: &mut Function, blocks: &[Option<BlockId>]) {
    let first = function.add_block();
    let block = function.block_mut(Function::ENTRY).clone();
    *function.block_mut(first) = block;
    let unused_barrier = blocks.contains(&None).then(|| {
        let unused_barrier = function.add_block();
        function.block_mut(unused_barrier).terminator = Terminator::Return(CallOutcome::DIVERGED);
        unused_barrier
    });
    let targets = blocks
        .iter()
        .map(|block| block.or(unused_barrier).unwrap_or(first));
    let targets = std::iter::once(first).chain(targets).collect();
    let entry = function.block_mut(Function::ENTRY);
    entry.insts.clear();
    entry.terminator = Terminator::Resume(targets);
}
