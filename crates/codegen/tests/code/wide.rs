//! 64-bit values: `f64` operations on pairs of lanes, and atomics of two words.

use anywarp_codegen::Target;
use anywarp_lanes::evaluate::Memory;
use anywarp_lanes::ir::{
    AtomicOp, AtomicScope, F64Half, F64Op, LaneBinary, LaneCompare, MaskBinary, Op, Space, Type,
    Value, WordBinary, WordCompare,
};

use crate::kernel::{Kernel, PLAIN, Random};
use crate::memory::scattered;
use crate::run::{Equal, agree, targets};

/// `f64` edge cases.
const DOUBLES: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.5,
    2.5,
    -3.5,
    1e300,
    -1e300,
    5e-324,
    2.2250738585072014e-308,
    1.401298464324817e-45,
    7e-46,
    3.4028235677973366e38,
    3.402823669209385e38,
    4503599627370497.5,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Low and high words of numbers, in columns.
fn columns(operands: usize, words: usize) -> Vec<Vec<u32>> {
    let mut random = Random::new(7);
    let mut columns = vec![Vec::new(); 2 * operands];
    for index in 0..words {
        for operand in 0..operands {
            let bits = match index % 3 {
                0 => u64::from(random.word()) << 32 | u64::from(random.word()),
                1 => f64::from(f32::from_bits(random.value())).to_bits(),
                _ => DOUBLES[random.below(DOUBLES.len())].to_bits(),
            };
            columns[2 * operand].push(bits as u32);
            columns[2 * operand + 1].push((bits >> 32) as u32);
        }
    }
    columns
}

/// The halves of a value, or of one canonical NaN if it is a NaN.
fn one_nan(kernel: &mut Kernel, [low, high]: [Value; 2]) -> [Value; 2] {
    let (size, infinity, zero) = (
        kernel.splat(0x7fff_ffff),
        kernel.splat(0x7ff0_0000),
        kernel.splat(0),
    );
    let and = Op::Binary(LaneBinary::Int(WordBinary::And));
    let compare = |op| Op::Compare(LaneCompare::Int(op));
    let exponent = kernel.put(and, &[high, size], Type::Lanes);
    let above = kernel.put(compare(WordCompare::LtU), &[infinity, exponent], Type::Mask);
    let at = kernel.put(compare(WordCompare::Eq), &[infinity, exponent], Type::Mask);
    let more = kernel.put(compare(WordCompare::Ne), &[low, zero], Type::Mask);
    let at = kernel.put(Op::MaskBinary(MaskBinary::And), &[at, more], Type::Mask);
    let is_none = kernel.put(Op::MaskBinary(MaskBinary::Or), &[at, above], Type::Mask);
    let none = kernel.splat(0x7ff8_0000);
    [
        kernel.put(Op::Select, &[is_none, zero, low], Type::Lanes),
        kernel.put(Op::Select, &[is_none, none, high], Type::Lanes),
    ]
}

fn try_double(target: Target, op: F64Op) {
    let lanes = target.lanes() as usize;
    let operands = Op::F64(op, F64Half::Low).signature().operands.len();
    let subgroups = 64;
    let columns = columns(operands.div_ceil(2), subgroups * lanes);
    let mut buffers = vec![vec![0; subgroups * lanes]; 2];
    buffers.extend(columns);
    let mut kernel = Kernel::new(target.lanes());
    let first = kernel.first();
    // A float is in the high word, where the bits of a double look like one.
    let from = if op == F64Op::FromF32 { 3 } else { 2 };
    let values: Vec<Value> = (0..operands as u32)
        .map(|number| kernel.row(from + number, first, number % 2 == 0))
        .collect();
    let halves = [F64Half::Low, F64Half::High]
        .map(|half| kernel.put(Op::F64(op, half), &values, Type::Lanes));
    let [low, high] = one_nan(&mut kernel, halves);
    kernel.store(0, first, low);
    kernel.store(1, first, high);
    let memory = Memory {
        buffers,
        ..Memory::default()
    };
    let count = subgroups as u32;
    agree(&kernel.finish(), target, &memory, count, Equal::Bits);
}

#[test]
fn arithmetic_of_doubles() {
    use F64Op as D;
    for target in targets() {
        for op in [
            D::Add,
            D::Sub,
            D::Mul,
            D::Div,
            D::Fma,
            D::Sqrt,
            D::Round,
            D::Floor,
            D::Ceil,
            D::Trunc,
            D::FromF32,
        ] {
            try_double(target, op);
        }
    }
}

#[test]
fn doubles_become_the_nearest_floats() {
    for target in targets() {
        let lanes = target.lanes() as usize;
        let subgroups = 64;
        let mut buffers = vec![vec![0; subgroups * lanes]];
        buffers.extend(columns(1, subgroups * lanes));
        let mut kernel = Kernel::new(target.lanes());
        let first = kernel.first();
        let (low, high) = (kernel.row(1, first, true), kernel.row(2, first, false));
        let float = kernel.put(Op::F64ToF32, &[low, high], Type::Lanes);
        kernel.store(0, first, float);
        let memory = Memory {
            buffers,
            ..Memory::default()
        };
        let count = subgroups as u32;
        agree(&kernel.finish(), target, &memory, count, Equal::Floats);
    }
}

/// An instruction with result rows, which are loaded after it.
fn found(kernel: &mut Kernel, op: Op, operands: &[Value], lanes: u32) -> Value {
    kernel.function.frame_bytes = 2 * 4 * lanes;
    let rows = kernel.put(Op::Base(Space::Frame(0)), &[], Type::Pointer);
    let mut all = operands.to_vec();
    all.insert(1, rows);
    kernel.effect(op, &all);
    let (zero, next) = (kernel.word(0), kernel.word(lanes));
    let low = kernel.put(Op::LoadRow(PLAIN), &[rows, zero], Type::Lanes);
    let high = kernel.put(Op::LoadRow(PLAIN), &[rows, next], Type::Lanes);
    let high = kernel.put(Op::RotateBy(7), &[high], Type::Lanes);
    let xor = Op::Binary(LaneBinary::Int(WordBinary::Xor));
    kernel.put(xor, &[low, high], Type::Lanes)
}

#[test]
fn atomics_of_two_words() {
    use AtomicOp as A;
    for target in targets() {
        for sharing in [AtomicScope::Thread, AtomicScope::Threads] {
            for op in [
                A::Add,
                A::Sub,
                A::And,
                A::Or,
                A::Xor,
                A::MinU,
                A::MaxU,
                A::MinS,
                A::MaxS,
                A::Exchange,
            ] {
                scattered(target, 11, |kernel, base, index, [low, high], mask| {
                    let op = Op::Atomic64(op, sharing, 2);
                    let operands = [base, index, low, high, mask];
                    Some(found(kernel, op, &operands, target.lanes()))
                });
            }
        }
    }
}

#[test]
fn comparing_exchanges_of_two_words() {
    for target in targets() {
        for sharing in [AtomicScope::Thread, AtomicScope::Threads] {
            scattered(target, 12, |kernel, base, index, [low, high], mask| {
                // What every fourth lane expects is there.
                let add = Op::Binary(LaneBinary::Int(WordBinary::Add));
                let [one, three] = [1, 3].map(|word| kernel.splat(word));
                let behind = kernel.put(add, &[index, one], Type::Lanes);
                let expected = [index, behind]
                    .map(|at| kernel.put(Op::Gather(0), &[base, at, mask], Type::Lanes));
                let some = Op::Compare(LaneCompare::Int(WordCompare::LtU));
                let and = Op::Binary(LaneBinary::Int(WordBinary::And));
                let rest = kernel.put(and, &[low, three], Type::Lanes);
                let is_right = kernel.put(some, &[rest, one], Type::Mask);
                let wrong = kernel.put(Op::Select, &[is_right, expected[1], low], Type::Lanes);
                let op = Op::CompareExchange64(sharing, 0);
                let operands = [base, index, low, high, expected[0], wrong, mask];
                Some(found(kernel, op, &operands, target.lanes()))
            });
        }
    }
}
