//! The exits of a barrier region: to the next subgroup or, after the last one, to the next region.

use smallvec::smallvec;

use super::BarrierRegion;
use super::build::{RegionBuilder, RegionCopy};
use crate::ir::{BlockId, CallOutcome, Edge, Op, Terminator, Type, Value, WordBinary, WordCompare};

/// The exit of the previous subgroup, in the first iteration.
pub(super) const NO_PREVIOUS: u32 = u32::MAX;

/// Fills the exit blocks of a region.
pub(super) fn build(builder: &mut RegionBuilder<'_>, region: &BarrierRegion, copy: &RegionCopy) {
    for &(end, block) in &copy.ends {
        let block = match copy.previous_end {
            Some(previous) => check(builder, region, end, previous, block),
            None => block,
        };
        branch_onward(builder, copy, end, block);
    }
}

/// Branches back to the next subgroup or, after the last one, on to the next region.
fn branch_onward(builder: &mut RegionBuilder<'_>, copy: &RegionCopy, end: u32, block: BlockId) {
    let one = builder.word(block, 1);
    let count = builder.word(block, builder.plan.subgroups);
    let add = Op::WordBinary(WordBinary::Add);
    let next = builder.put(block, add, smallvec![copy.subgroup, one], Type::Word);
    let less = Op::WordCompare(WordCompare::LtU);
    let is_next = builder.put(block, less, smallvec![next, count], Type::Word);
    let mut arguments = vec![next];
    if copy.previous_end.is_some() {
        arguments.push(builder.word(block, end));
    }
    let back_edge = Edge {
        block: copy.header,
        arguments,
    };
    let exit_edge = match builder.preheaders[end as usize].filter(|_| end != 0) {
        Some(preheader) => Edge {
            block: preheader,
            arguments: builder
                .plan
                .passed(end as usize)
                .map(|value| builder.name(value))
                .collect(),
        },
        None => Edge::to(builder.new.add_block()),
    };
    builder.new.block_mut(block).terminator = Terminator::Branch(is_next, back_edge, exit_edge);
}

/// Ends the call as diverged if the previous subgroup took another exit. Returns the block that continues.
fn check(
    builder: &mut RegionBuilder<'_>,
    region: &BarrierRegion,
    end: u32,
    previous: Value,
    block: BlockId,
) -> BlockId {
    let is_same = equals(builder, block, previous, end);
    let is_first = equals(builder, block, previous, NO_PREVIOUS);
    let or = Op::WordBinary(WordBinary::Or);
    let is_uniform = builder.put(block, or, smallvec![is_same, is_first], Type::Word);
    let (uniform, mut diverged) = (builder.new.add_block(), builder.new.add_block());
    let branch = Terminator::Branch(is_uniform, Edge::to(uniform), Edge::to(diverged));
    builder.new.block_mut(block).terminator = branch;
    let others = region.ends.iter().copied().filter(|other| *other != end);
    for other in others {
        let is_other = equals(builder, diverged, previous, other);
        let (yes, no) = (builder.new.add_block(), builder.new.add_block());
        // The barrier, if the other exit is the end of the function.
        let outcome = CallOutcome::diverged(end.max(other));
        builder.new.block_mut(yes).terminator = Terminator::Return(outcome);
        let branch = Terminator::Branch(is_other, Edge::to(yes), Edge::to(no));
        builder.new.block_mut(diverged).terminator = branch;
        diverged = no;
    }
    // Unreachable: the previous subgroup took one of the exits.
    builder.new.block_mut(diverged).terminator = Terminator::Return(CallOutcome::DIVERGED);
    uniform
}

fn equals(builder: &mut RegionBuilder<'_>, block: BlockId, value: Value, word: u32) -> Value {
    let word = builder.word(block, word);
    let op = Op::WordCompare(WordCompare::Eq);
    builder.put(block, op, smallvec![value, word], Type::Word)
}
