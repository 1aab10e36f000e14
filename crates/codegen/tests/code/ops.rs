//! Every arithmetic instruction, on edge cases, with operands in registers, in memory and as constants.

use anywarp_codegen::Target;
use anywarp_lanes::evaluate::Memory;
use anywarp_lanes::ir::{LaneBinary, LaneCompare, LaneUnary, Op, Type, Value};
use anywarp_lanes::random::{FLOAT_BINARY, FLOAT_COMPARE, UNARY, WORD_BINARY, WORD_COMPARE};

use crate::kernel::{Kernel, Random, inputs};
use crate::run::{Equal, agree, targets};

fn lane_binary() -> impl Iterator<Item = LaneBinary> {
    let integers = WORD_BINARY.iter().map(|op| LaneBinary::Int(*op));
    let floats = FLOAT_BINARY.iter().copied();
    // The result of scaling is not defined for every operand.
    let floats = floats.filter(|op| *op != LaneBinary::ScaleF);
    floats.chain(integers)
}

fn lane_compare() -> impl Iterator<Item = LaneCompare> {
    let integers = WORD_COMPARE.iter().map(|op| LaneCompare::Int(*op));
    FLOAT_COMPARE.iter().copied().chain(integers)
}

fn equal(op: Op) -> Equal {
    match op {
        Op::Binary(LaneBinary::Int(_)) | Op::Masked(LaneBinary::Int(_)) => Equal::Bits,
        Op::Binary(_) | Op::Masked(_) | Op::Fma | Op::MaskedFma => Equal::Floats,
        Op::Unary(
            LaneUnary::ToU | LaneUnary::ToS | LaneUnary::CountOnes | LaneUnary::LeadingZeros,
        ) => Equal::Bits,
        Op::Unary(LaneUnary::ToHalf) => Equal::Bits,
        Op::Unary(_) => Equal::Floats,
        _ => Equal::Bits,
    }
}

/// Memory with a buffer for results first.
pub(crate) fn memory(columns: &[Vec<u32>]) -> Memory {
    let mut buffers = vec![vec![0xdddd_dddd; columns[0].len()]];
    buffers.extend(columns.iter().cloned());
    Memory {
        buffers,
        ..Memory::default()
    }
}

/// Tries an instruction with operands that are lanes, then perhaps a mask; `places` gives the place of each operand.
pub(crate) fn try_lanes(
    target: Target,
    op: Op,
    operands: usize,
    is_masked: bool,
    places: &[Place],
) {
    let lanes = target.lanes() as usize;
    let mut columns = inputs(operands, lanes);
    let subgroups = columns[0].len() / lanes;
    if is_masked {
        columns.push(masks(columns[0].len(), subgroups, target.function_mask()));
    }
    let mut kernel = Kernel::new(target.lanes());
    let first = kernel.first();
    let mut values: Vec<Value> = places
        .iter()
        .enumerate()
        .map(|(index, place)| match place {
            Place::Register => kernel.row(index as u32 + 1, first, true),
            Place::Memory => kernel.row(index as u32 + 1, first, false),
            Place::Constant(word) => kernel.splat(*word),
            Place::Same(other) => kernel.row(*other, first, true),
        })
        .collect();
    for (index, place) in places.iter().enumerate() {
        if let Place::Same(other) = place {
            values[index] = values[*other as usize];
        }
    }
    if is_masked {
        values.push(kernel.own_mask(operands as u32 + 1));
    }
    let result = match op {
        Op::Compare(_) | Op::MaskedCompare(_) => {
            let mask = kernel.put(op, &values, Type::Mask);
            let ballot = kernel.put(Op::Ballot, &[mask], Type::Word);
            kernel.put(Op::Broadcast, &[ballot], Type::Lanes)
        }
        _ => kernel.put(op, &values, Type::Lanes),
    };
    kernel.store(0, first, result);
    let function = kernel.finish();
    agree(
        &function,
        target,
        &memory(&columns),
        subgroups as u32,
        equal(op),
    );
}

/// The place of an operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Register,
    Memory,
    Constant(u32),
    /// The same value as another operand.
    Same(u32),
}

pub(crate) trait Mask {
    fn function_mask(self) -> u32;
}

impl Mask for Target {
    fn function_mask(self) -> u32 {
        u32::MAX >> (32 - self.lanes())
    }
}

/// A mask for each subgroup: none, all, parts.
pub(crate) fn masks(words: usize, subgroups: usize, all: u32) -> Vec<u32> {
    let mut random = Random::new(9);
    let mut masks: Vec<u32> = (0..subgroups)
        .map(|number| match number % 5 {
            0 => 0,
            1 => all,
            2 => 1 << (number as u32 % all.count_ones()),
            _ => random.word() & all,
        })
        .collect();
    masks.resize(words, 0);
    masks
}

pub(crate) const R: Place = Place::Register;
pub(crate) const M: Place = Place::Memory;

#[test]
fn arithmetic_of_lanes() {
    for target in targets() {
        for op in lane_binary() {
            let op = Op::Binary(op);
            try_lanes(target, op, 2, false, &[R, R]);
            try_lanes(target, op, 2, false, &[R, M]);
            try_lanes(target, op, 2, false, &[M, R]);
            try_lanes(target, op, 2, false, &[R, Place::Same(0)]);
            for constant in [0, 3, 40, 0x8000_0000, 0xffff_ffff, 0x3fc0_0000, 0x7f80_0000] {
                try_lanes(target, op, 2, false, &[R, Place::Constant(constant)]);
                try_lanes(target, op, 2, false, &[Place::Constant(constant), R]);
            }
        }
    }
}

#[test]
fn masked_arithmetic_of_lanes() {
    for target in targets() {
        for op in lane_binary() {
            let op = Op::Masked(op);
            try_lanes(target, op, 3, true, &[R, R, R]);
            try_lanes(target, op, 3, true, &[Place::Constant(0), R, M]);
            try_lanes(
                target,
                op,
                3,
                true,
                &[Place::Constant(5), R, Place::Constant(7)],
            );
            try_lanes(target, op, 3, true, &[R, Place::Same(0), R]);
            try_lanes(target, op, 3, true, &[R, R, Place::Same(0)]);
            try_lanes(target, op, 3, true, &[R, Place::Constant(9), R]);
        }
    }
}

/// Infinite second operands are left out: their result is not specified.
#[test]
fn scaling() {
    for target in targets() {
        let lanes = target.lanes() as usize;
        let mut columns = inputs(2, lanes);
        for word in &mut columns[1] {
            if f32::from_bits(*word).is_infinite() {
                *word = 0;
            }
        }
        let mut random = Random::new(1);
        // Exponents around those where results become subnormal, infinite or 0.
        for index in 0..4096 * lanes {
            let exponent = random.below(640) as f32 - 320.0 + random.below(4) as f32 / 4.0;
            columns[0].push(if index % 2 == 0 {
                random.word()
            } else {
                random.value()
            });
            columns[1].push(exponent.to_bits());
        }
        let subgroups = columns[0].len() / lanes;
        for places in [[true, true], [true, false]] {
            let mut kernel = Kernel::new(target.lanes());
            let first = kernel.first();
            let a = kernel.row(1, first, places[0]);
            let b = kernel.row(2, first, places[1]);
            let result = kernel.put(Op::Binary(LaneBinary::ScaleF), &[a, b], Type::Lanes);
            kernel.store(0, first, result);
            let function = kernel.finish();
            agree(
                &function,
                target,
                &memory(&columns),
                subgroups as u32,
                Equal::Floats,
            );
        }
    }
}

#[test]
fn functions_of_one_argument() {
    for target in targets() {
        for &op in UNARY {
            try_lanes(target, Op::Unary(op), 1, false, &[R]);
            try_lanes(target, Op::Unary(op), 1, false, &[M]);
            try_lanes(
                target,
                Op::Unary(op),
                1,
                false,
                &[Place::Constant(0x3fc0_0001)],
            );
        }
        try_lanes(
            target.plain(),
            Op::Unary(LaneUnary::CountOnes),
            1,
            false,
            &[R],
        );
        for amount in [0, 1, 7, 16, 31] {
            for op in [
                Op::ShlBy(amount),
                Op::ShrBy(amount),
                Op::SarBy(amount),
                Op::RotateBy(amount),
            ] {
                try_lanes(target, op, 1, false, &[R]);
                try_lanes(target, op, 1, false, &[M]);
            }
        }
    }
}

#[test]
fn every_half_becomes_the_float_that_it_is() {
    for target in targets() {
        let halves: Vec<u32> = (0..0x1_0000).map(|half| half | 0xabcd_0000).collect();
        let subgroups = halves.len() as u32 / target.lanes();
        let mut kernel = Kernel::new(target.lanes());
        let first = kernel.first();
        let a = kernel.row(1, first, true);
        let result = kernel.put(Op::Unary(LaneUnary::FromHalf), &[a], Type::Lanes);
        kernel.store(0, first, result);
        agree(
            &kernel.finish(),
            target,
            &memory(&[halves]),
            subgroups,
            Equal::Floats,
        );
    }
}

#[test]
fn comparisons_of_lanes() {
    for target in targets() {
        for op in lane_compare() {
            let plain = Op::Compare(op);
            try_lanes(target, plain, 2, false, &[R, R]);
            try_lanes(target, plain, 2, false, &[R, M]);
            try_lanes(target, plain, 2, false, &[M, R]);
            for constant in [0, 3, 0x8000_0000, 0xffff_ffff, 0x3fc0_0000, 0x7fc0_0000] {
                try_lanes(target, plain, 2, false, &[R, Place::Constant(constant)]);
                try_lanes(target, plain, 2, false, &[Place::Constant(constant), R]);
            }
            let masked = Op::MaskedCompare(op);
            try_lanes(target, masked, 2, true, &[R, R]);
            try_lanes(target, masked, 2, true, &[R, Place::Constant(0)]);
            try_lanes(target, masked, 2, true, &[M, R]);
        }
    }
}

#[test]
fn every_table_of_three_operands() {
    for target in targets() {
        for table in 0..=255 {
            try_lanes(target, Op::Ternary(table), 3, false, &[R, R, R]);
        }
        for table in [0x96, 0xca, 0xe8, 0x1b] {
            try_lanes(
                target,
                Op::Ternary(table),
                3,
                false,
                &[R, R, Place::Constant(0x0ff0_1234)],
            );
            try_lanes(
                target,
                Op::Ternary(table),
                3,
                false,
                &[Place::Constant(0x0ff0_1234), R, R],
            );
            try_lanes(
                target,
                Op::Ternary(table),
                3,
                false,
                &[R, Place::Same(0), M],
            );
        }
    }
}

#[test]
fn lanes_by_a_mask() {
    for target in targets() {
        let lanes = target.lanes() as usize;
        let mut columns = inputs(2, lanes);
        let subgroups = columns[0].len() / lanes;
        columns.push(masks(columns[0].len(), subgroups, target.function_mask()));
        let zero = Place::Constant(0);
        for places in [
            [R, R],
            [M, R],
            [R, M],
            [R, zero],
            [zero, R],
            [M, zero],
            [Place::Constant(4), zero],
            [Place::Constant(4), R],
            [R, Place::Constant(4)],
        ] {
            let mut kernel = Kernel::new(target.lanes());
            let first = kernel.first();
            let mask = kernel.own_mask(3);
            let values = [0, 1].map(|index| match places[index] {
                Place::Constant(word) => kernel.splat(word),
                place => kernel.row(index as u32 + 1, first, matches!(place, Place::Register)),
            });
            let result = kernel.put(Op::Select, &[mask, values[0], values[1]], Type::Lanes);
            kernel.store(0, first, result);
            agree(
                &kernel.finish(),
                target,
                &memory(&columns),
                subgroups as u32,
                Equal::Bits,
            );
        }
    }
}

#[test]
fn lanes_go_from_lane_to_lane() {
    for target in targets() {
        try_lanes(target, Op::Permute, 2, false, &[R, R]);
        try_lanes(target, Op::Permute, 2, false, &[M, R]);
        try_lanes(
            target,
            Op::Permute,
            2,
            false,
            &[R, Place::Constant(0xffff_fff3)],
        );
        for lane in 0..target.lanes() {
            let columns = inputs(1, target.lanes() as usize);
            let subgroups = columns[0].len() as u32 / target.lanes();
            let mut kernel = Kernel::new(target.lanes());
            let first = kernel.first();
            let row = kernel.row(1, first, true);
            let word = kernel.put(Op::Extract(lane as u8), &[row], Type::Word);
            kernel.store_word(0, first, word);
            agree(
                &kernel.finish(),
                target,
                &memory(&columns),
                subgroups,
                Equal::Bits,
            );
        }
    }
}
