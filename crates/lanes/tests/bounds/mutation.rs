//! Mutations of functions: each changes one thing on which the bounds of an access may depend.

use anywarp_lanes::ir::{
    Function, Inst, LaneBinary, LaneCompare, Op, Terminator, Value, WordBinary, WordCompare,
};
use anywarp_lanes::random::Random;

/// Changes one thing on which the bounds of an access may depend.
pub(crate) fn mutate(function: &mut Function, buffers: u32, random: &mut Random) {
    let block = random.below(function.blocks.len());
    let types = function.types.clone();
    let values: Vec<Value> = (0..types.len() as u32).map(Value).collect();
    let like = |value: Value, random: &mut Random| {
        let same = values
            .iter()
            .filter(|other| types[other.index()] == types[value.index()]);
        let same: Vec<Value> = same.copied().collect();
        random.pick(&same)
    };
    let data = &mut function.blocks[block];
    if random.once_in(6) {
        if let Terminator::Branch(condition, yes, no) = &mut data.terminator {
            if random.once_in(2) {
                std::mem::swap(yes, no);
            } else {
                *condition = like(*condition, random);
            }
        }
        return;
    }
    if data.insts.is_empty() {
        return;
    }
    let place = random.below(data.insts.len());
    let inst = &mut data.insts[place];
    if random.once_in(2) && !inst.operands.is_empty() {
        let operand = random.below(inst.operands.len());
        inst.operands[operand] = like(inst.operands[operand], random);
        return;
    }
    change(inst, buffers, random);
}

fn change(inst: &mut Inst, buffers: u32, random: &mut Random) {
    let compares = [
        WordCompare::LtU,
        WordCompare::LeU,
        WordCompare::LtS,
        WordCompare::Ne,
    ];
    let binaries = [
        WordBinary::Add,
        WordBinary::And,
        WordBinary::Or,
        WordBinary::Shl,
        WordBinary::MinU,
        WordBinary::MaxU,
    ];
    let further = |offset: i32, random: &mut Random| offset + random.pick(&[1, 2, 16, 63, -1]);
    inst.op = match inst.op {
        Op::LoadRow(mut row) if row.is_limited && random.once_in(2) => {
            inst.operands.remove(2);
            row.is_limited = false;
            Op::LoadRow(row)
        }
        Op::StoreRow(mut row) if row.is_limited && random.once_in(2) => {
            inst.operands.remove(3);
            row.is_limited = false;
            Op::StoreRow(row)
        }
        Op::LoadRow(mut row) => {
            row.offset = further(row.offset, random);
            Op::LoadRow(row)
        }
        Op::StoreRow(mut row) => {
            row.offset = further(row.offset, random);
            Op::StoreRow(row)
        }
        Op::Gather(offset) => Op::Gather(further(offset, random)),
        Op::Scatter(offset) => Op::Scatter(further(offset, random)),
        Op::ScatterHalves(offset) => Op::ScatterHalves(further(offset, random)),
        Op::Atomic(op, sharing, offset) => Op::Atomic(op, sharing, further(offset, random)),
        Op::CompareExchange(sharing, offset) => {
            Op::CompareExchange(sharing, further(offset, random))
        }
        Op::StoreRowNonTemporal(offset) => Op::StoreRowNonTemporal(further(offset, random)),
        Op::FrameStore(slot) => Op::FrameStore(slot ^ 64),
        Op::FrameLoad(slot) => Op::FrameLoad(slot ^ 64),
        Op::LoadWord(offset) => Op::LoadWord(further(offset, random)),
        Op::LoadSplat(offset) => Op::LoadSplat(further(offset, random)),
        Op::Word(bits) => Op::Word(random.pick(&[bits.wrapping_add(1), bits << 1, !bits, 40])),
        Op::Splat(bits) => Op::Splat(random.pick(&[bits.wrapping_add(1), bits << 1, !bits, 40])),
        Op::ShlBy(by) => Op::ShlBy((by + 1) % 32),
        Op::ShrBy(by) => Op::ShrBy(by.saturating_sub(1)),
        Op::Mask(bits) => Op::Mask(bits ^ 1 << random.below(8)),
        Op::WordCompare(_) => Op::WordCompare(random.pick(&compares)),
        Op::Compare(LaneCompare::Int(_)) => Op::Compare(LaneCompare::Int(random.pick(&compares))),
        Op::MaskedCompare(LaneCompare::Int(_)) => {
            Op::MaskedCompare(LaneCompare::Int(random.pick(&compares)))
        }
        Op::WordBinary(_) => Op::WordBinary(random.pick(&binaries)),
        Op::Binary(LaneBinary::Int(_)) => Op::Binary(LaneBinary::Int(random.pick(&binaries))),
        Op::Length(number) => Op::Length((number + 1) % buffers),
        other => other,
    };
}
