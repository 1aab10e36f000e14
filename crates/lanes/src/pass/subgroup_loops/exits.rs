//! The exits of a barrier region: to the next subgroup or, after the last one, to the next region.

use smallvec::smallvec;

use super::BarrierRegion;
use super::build::{Builder, Copy};
use crate::ir::{BlockId, CallOutcome, Edge, Op, Terminator, Type, Value, WordBinary, WordCompare};

/// The exit of the previous subgroup, in the first iteration.
pub(super) const NO_PREVIOUS: u32 = u32::MAX;

/// Fills the exit blocks of a region.
pub(super) fn build(builder: &mut Builder<'_>, region: &BarrierRegion, copy: &Copy) {
    for &(end, block) in &copy.ends {
        let block = match copy.end_before {
            Some(before) => check(builder, region, end, before, block),
            None => block,
        };
        go_on(builder, copy, end, block);
    }
}

/// Branches back to the next subgroup or, after the last one, on to the next region.
fn go_on(builder: &mut Builder<'_>, copy: &Copy, end: u32, block: BlockId) {
    let one = builder.word(block, 1);
    let count = builder.word(block, builder.plan.subgroups);
    let add = Op::WordBinary(WordBinary::Add);
    let next = builder.put(block, add, smallvec![copy.subgroup, one], Type::Word);
    let less = Op::WordCompare(WordCompare::LtU);
    let is_next = builder.put(block, less, smallvec![next, count], Type::Word);
    let mut arguments = vec![next];
    if copy.end_before.is_some() {
        arguments.push(builder.word(block, end));
    }
    let again = Edge {
        block: copy.head,
        arguments,
    };
    let behind = match builder.gates[end as usize].filter(|_| end != 0) {
        Some(gate) => Edge {
            block: gate.block,
            arguments: builder
                .plan
                .passed(end as usize)
                .map(|it| builder.name(it))
                .collect(),
        },
        None => Edge::to(builder.new.add_block()),
    };
    builder.new.block_mut(block).terminator = Terminator::Branch(is_next, again, behind);
}

/// Ends the call as diverged if the previous subgroup took another exit. Returns the block that continues.
fn check(
    builder: &mut Builder<'_>,
    region: &BarrierRegion,
    end: u32,
    before: Value,
    block: BlockId,
) -> BlockId {
    let is_same = is(builder, block, before, end);
    let is_first = is(builder, block, before, NO_PREVIOUS);
    let or = Op::WordBinary(WordBinary::Or);
    let is_right = builder.put(block, or, smallvec![is_same, is_first], Type::Word);
    let (right, mut wrong) = (builder.new.add_block(), builder.new.add_block());
    let branch = Terminator::Branch(is_right, Edge::to(right), Edge::to(wrong));
    builder.new.block_mut(block).terminator = branch;
    let others = region.ends.iter().copied().filter(|it| *it != end);
    for other in others {
        let is_other = is(builder, wrong, before, other);
        let (yes, no) = (builder.new.add_block(), builder.new.add_block());
        // The barrier, if the other exit is the end of the function.
        let outcome = CallOutcome::diverged(end.max(other));
        builder.new.block_mut(yes).terminator = Terminator::Return(outcome);
        let branch = Terminator::Branch(is_other, Edge::to(yes), Edge::to(no));
        builder.new.block_mut(wrong).terminator = branch;
        wrong = no;
    }
    // Unreachable: the previous subgroup took one of the exits.
    builder.new.block_mut(wrong).terminator = Terminator::Return(CallOutcome::DIVERGED);
    right
}

fn is(builder: &mut Builder<'_>, block: BlockId, value: Value, word: u32) -> Value {
    let word = builder.word(block, word);
    let op = Op::WordCompare(WordCompare::Eq);
    builder.put(block, op, smallvec![value, word], Type::Word)
}
