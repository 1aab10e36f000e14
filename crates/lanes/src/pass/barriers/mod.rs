//! Barriers: a call ends at each of them, and the next one goes on behind it.
//!
//! In: any function. Out: the same without [`Terminator::Suspend`]. Where there was one, the call ends with the number
//! of the barrier; a new first block goes to a block for each barrier, which gets back what lives across it and goes
//! on. What lives across is kept in the frame: in one slot for each value, however many barriers it lives across, and
//! written once, before the first of them and outside of the loops that they are in. Constants and broadcasts are
//! made again, constants in each block that uses them. A function without barriers stays as it is.
//!
//! Slots lie behind what the frame had before.

pub(super) mod live;

use anywarp_program::work::{Meter, OverBudget};

use super::cut;
use super::graph::Graph;
use super::localize;
use super::origin::{Origin, definition, origins};
use super::repair::{self, Redefined};
use crate::ir::{BlockId, Edge, Function, Inst, Op, Outcome, Terminator, Type, Value};

use live::{Across, Site, Way};

/// Runs the pass.
pub fn run(function: &mut Function) {
    // A meter without limits has no errors.
    let _ = run_within(function, &Meter::unlimited());
}

/// Runs the pass within limits.
pub(super) fn run_within(function: &mut Function, meter: &Meter) -> Result<(), OverBudget> {
    let is_barrier = |it: &Terminator| matches!(it, Terminator::Suspend(..));
    if !function.blocks.iter().any(|it| is_barrier(&it.terminator)) {
        return Ok(());
    }
    cut::unreachable(function);
    localize::run(function);
    let graph = Graph::new(function);
    let origins = origins(function);
    // A broadcast takes a fraction of the room as a word.
    let is_light = |it: &Inst| it.op.is_cheap() || matches!(it.op, Op::Broadcast);
    let way = |it| match definition(function, &origins, it) {
        Some(inst) if is_light(inst) => Way::MadeAgain,
        _ => Way::Kept,
    };
    let across = live::across(function, &graph, way, meter)?;
    let offsets = Offsets::new(function, &across.kept);
    for &(value, block) in &across.kept {
        let keep = Inst {
            op: Op::Keep(offsets.of(value)),
            operands: smallvec::smallvec![value],
            result: None,
        };
        function.block_mut(block).insts.push(keep);
    }
    let (blocks, redefined) = add_blocks(function, &across, &offsets);
    cut_edges(function);
    add_entry(function, &blocks);
    repair::run(function, &redefined, meter)
}

/// Where values lie in the frame, by value.
pub(super) struct Offsets(Vec<u32>);

impl Offsets {
    /// Gives each value that is kept a place behind what the frame has.
    pub(super) fn new(function: &mut Function, kept: &[(Value, BlockId)]) -> Self {
        let mut offsets = vec![u32::MAX; function.types.len()];
        let mut next = function.frame_bytes;
        // From the widest to the narrowest, so that there are no holes.
        for ty in [Type::Lanes, Type::Pointer, Type::Word, Type::Mask] {
            let size = ty.bytes(function.lanes);
            next = next.next_multiple_of(size);
            for (value, _) in kept.iter().filter(|it| function.type_of(it.0) == ty) {
                offsets[value.index()] = next;
                next += size;
            }
        }
        function.frame_bytes = next.next_multiple_of(64);
        Self(offsets)
    }

    /// Where a value lies; the greatest number if it does not.
    pub(super) fn of(&self, value: Value) -> u32 {
        self.0[value.index()]
    }
}

/// A block for each barrier that gets values back and goes on; and all definitions that values got by it.
fn add_blocks(
    function: &mut Function,
    across: &Across,
    offsets: &Offsets,
) -> (Vec<Option<BlockId>>, Vec<Redefined>) {
    let origins = origins(function);
    let mut numbers = vec![usize::MAX; function.types.len()];
    let mut redefined: Vec<Redefined> = Vec::new();
    let mut blocks = vec![None; across.sites.len()];
    for (site, id) in across.sites.iter().zip(&mut blocks) {
        if site.from.is_none() {
            continue;
        }
        let block = add_block(function, &origins, site, offsets);
        *id = Some(block);
        let results = function
            .block(block)
            .insts
            .iter()
            .filter_map(|it| it.result);
        for (&value, result) in site.needs.iter().zip(results) {
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
    origins: &[Origin],
    site: &Site,
    offsets: &Offsets,
) -> BlockId {
    let mut names = super::hash::Map::<Value, Value>::default();
    let mut insts = Vec::with_capacity(site.needs.len());
    for &value in &site.needs {
        let result = function.add_value(function.type_of(value));
        let mut inst = match offsets.of(value) {
            u32::MAX => definition(function, origins, value).cloned(),
            offset => Some(Inst {
                op: Op::Recall(offset),
                operands: Default::default(),
                result: None,
            }),
        }
        .unwrap_or_else(|| unreachable!("what is not kept is made by an instruction"));
        inst.operands.iter_mut().for_each(|it| *it = names[it]);
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
            block.terminator = Terminator::Return(Outcome(number));
        }
    }
}

/// Puts a new block before the first, which goes to it or to what follows a barrier.
fn add_entry(function: &mut Function, blocks: &[Option<BlockId>]) {
    let first = function.add_block();
    let block = function.block_mut(Function::ENTRY).clone();
    *function.block_mut(first) = block;
    let nowhere = blocks.contains(&None).then(|| {
        let nowhere = function.add_block();
        function.block_mut(nowhere).terminator = Terminator::Return(Outcome::DIVERGED);
        nowhere
    });
    let targets = blocks.iter().map(|it| it.or(nowhere).unwrap_or(first));
    let targets = std::iter::once(first).chain(targets).collect();
    let entry = function.block_mut(Function::ENTRY);
    entry.insts.clear();
    entry.terminator = Terminator::Resume(targets);
}
