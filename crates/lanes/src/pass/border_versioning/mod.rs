//! Loop versioning for borders (compare index set splitting): interior rows without clamps and wraps of indices.
//!
//! In: any function. Out: the same function, where code that gathers or scatters at clamped or wrapped neighbors
//! (`select(x - 1, N - 1, x == 0)`, `clamp(x + 1, 0, N - 1)`, `(x + 1) % N`) has two versions. A test at run time selects
//! the first where no lane is at a border: where each such value is its first lane plus a constant pattern. There,
//! indices are sums of a word and a pattern, so that `fuse` makes rows of the accesses. The second version is unchanged.
//!
//! A region is a part of one block: from the first to the last access with such an index. The computations of clamped
//! values are moved before it; they are pure. Only accesses under a bounds check of their index are rows in the first
//! version: there, index and check are computed again, from the sums, so that the check is one of the index that is
//! accessed. Where a clamp proves that an index is in bounds, its result is accessed in both versions. The test covers
//! all lanes, whether they are active or not, so that versions agree in every lane. Regions with one such access are
//! left alone: the test of a gather itself (`run_time_row` of the code generator) is as cheap. The size of the result is
//! linear, because regions do not overlap.

mod region;
mod version;

use std::cmp::Reverse;

use smallvec::SmallVec;

use super::cfg::Cfg;
use super::loops::Loops;
use super::uniform_induction::AffineRules;
use super::value_def::value_defs;
use crate::ir::{
    BlockId, Edge, Function, Inst, LaneBinary, LaneCompare, MaskBinary, Op, Terminator, Type,
    Value, WordBinary, WordCompare,
};
use region::{Region, RegionFinder};
use version::{Definitions, Version};

/// The most regions that are versioned, so that the time is linear: those in the most loops, if there are more.
const MAX_REGIONS: usize = 16;

/// Runs the pass.
pub fn run(function: &mut Function) {
    let finder = RegionFinder::new(function, value_defs(function));
    let mut regions = finder.regions();
    if regions.len() > MAX_REGIONS {
        let loops = Loops::new(&Cfg::new(function), function.blocks.len());
        regions.sort_by_key(|region| Reverse(loops.depth(region.block)));
        regions.truncate(MAX_REGIONS);
    }
    if regions.is_empty() {
        return;
    }
    let mut interior = Vec::new();
    for region in &regions {
        split(function, region, &mut interior);
    }
    let mut is_affine = vec![false; function.types.len()];
    interior
        .iter()
        .for_each(|value| is_affine[value.index()] = true);
    super::peephole::run(function, &mut AffineRules::new(is_affine));
}

/// Replaces a region by two versions. Adds the affine values of the first to `interior`.
fn split(function: &mut Function, region: &Region, interior: &mut Vec<Value>) {
    let insts = std::mem::take(&mut function.block_mut(region.block).insts);
    let definitions = insts
        .iter()
        .filter_map(|inst| Some((inst.result?, inst.clone())));
    let definitions: Definitions = definitions.collect();
    let mut parts = Parts::new(insts, region);
    let results = results(function, region, &parts);
    function.block_mut(region.block).insts = std::mem::take(&mut parts.before);
    let (at_border, inside) = test(function, region);
    interior.extend(inside.iter().map(|pair| pair.1));
    let join = function.add_block();
    let mut fast = Version::new(&definitions, &inside);
    let mut slow = Version::new(&definitions, &[]);
    for (place, inst) in &parts.inside {
        if region.accesses.contains(place) {
            fast.access(function, inst);
        } else {
            fast.copy(function, inst);
        }
        slow.copy(function, inst);
    }
    let fast = fast.finish(function, &results, join);
    let slow = slow.finish(function, &results, join);
    let branch = Terminator::Branch(at_border, Edge::to(slow), Edge::to(fast));
    let terminator = std::mem::replace(&mut function.block_mut(region.block).terminator, branch);
    let end = function.block_mut(join);
    end.parameters = results;
    end.insts = parts.after;
    end.terminator = terminator;
}

/// The instructions of a block: before the region, in it, and after it.
struct Parts {
    before: Vec<Inst>,
    /// With their places in the block.
    inside: Vec<(usize, Inst)>,
    after: Vec<Inst>,
}

impl Parts {
    /// Moves the computations of clamped values before the region, and constants, which may be used after it.
    fn new(insts: Vec<Inst>, region: &Region) -> Self {
        let mut parts = Self {
            before: Vec::new(),
            inside: Vec::new(),
            after: Vec::new(),
        };
        for (place, inst) in insts.into_iter().enumerate() {
            let is_moved = region.moved.contains(&place) || inst.op.is_cheap();
            if place >= region.end {
                parts.after.push(inst);
            } else if place < region.first || is_moved {
                parts.before.push(inst);
            } else {
                parts.inside.push((place, inst));
            }
        }
        parts
    }
}

/// The results of a region that are used outside it.
fn results(function: &Function, region: &Region, parts: &Parts) -> Vec<Value> {
    let defined = parts.inside.iter().filter_map(|(_, inst)| inst.result);
    let defined: Vec<Value> = defined.collect();
    let mut is_used = vec![false; function.types.len()];
    // The block itself has no instructions now.
    let others = function.blocks.iter().flat_map(|block| &block.insts);
    for inst in others.chain(&parts.after) {
        inst.operands
            .iter()
            .for_each(|operand| is_used[operand.index()] = true);
    }
    debug_assert!(function.block(region.block).insts.is_empty());
    for block in &function.blocks {
        block
            .terminator
            .uses()
            .for_each(|value| is_used[value.index()] = true);
    }
    let used = defined.into_iter().filter(|value| is_used[value.index()]);
    used.collect()
}

/// Appends the test of a region: the mask of lanes at a border, and each clamped value with its affine value.
fn test(function: &mut Function, region: &Region) -> (Value, Vec<(Value, Value)>) {
    const ADD: Op = Op::Binary(LaneBinary::Int(WordBinary::Add));
    const NE: Op = Op::Compare(LaneCompare::Int(WordCompare::Ne));
    let block = region.block;
    let mut at_border = None;
    let mut inside = Vec::new();
    for (value, pattern) in &region.clamped {
        let first = push(function, block, Op::Extract(0), &[*value]);
        let first = push(function, block, Op::Broadcast, &[first]);
        let pattern = Op::Pattern(function.pattern(pattern));
        let pattern = push(function, block, pattern, &[]);
        let affine = push(function, block, ADD, &[first, pattern]);
        let differs = push(function, block, NE, &[*value, affine]);
        at_border = Some(match at_border {
            None => differs,
            Some(others) => push(
                function,
                block,
                Op::MaskBinary(MaskBinary::Or),
                &[others, differs],
            ),
        });
        inside.push((*value, affine));
    }
    let none = at_border.unwrap_or_else(|| push(function, block, Op::Mask(0), &[]));
    (none, inside)
}

fn push(function: &mut Function, block: BlockId, op: Op, operands: &[Value]) -> Value {
    let value = function.add_value(match op {
        Op::Extract(_) => Type::Word,
        Op::Compare(_) | Op::MaskBinary(_) | Op::Mask(_) => Type::Mask,
        _ => Type::Lanes,
    });
    function.block_mut(block).insts.push(Inst {
        op,
        operands: SmallVec::from_slice(operands),
        result: Some(value),
    });
    value
}
