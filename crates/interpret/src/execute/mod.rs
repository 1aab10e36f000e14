//! The interpreter loop: executes one invocation until it ends, waits or has exhausted its budget.
//!
//! In: [`Bytecode`], a program counter, the invocation's registers, and memory. Out: a [`StopReason`] with the
//! reason and the program counter; the registers hold everything needed to resume.

mod float;
mod geometric;
mod integer;
mod matrix;
mod number;
mod packing;
mod real;
mod texture;
mod typed;

use crate::bytecode::{
    Address, Binary, Bytecode, Instr, Number, OUT_OF_BOUNDS, Pc, Reg, Run, Ternary, TypedOp, Unary,
};
use crate::memory::{Memory, element};
use real::F32;
pub use texture::access_texture;
pub use typed::transcendental;

/// Why an invocation stopped, and at which instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// The invocation has ended.
    Ended(Pc),
    /// It waits at a workgroup barrier, and resumes at the next instruction.
    AtBarrier(Pc),
    /// It waits at a collective operation of its subgroup.
    AtCollective(Pc),
    /// The budget is empty, or the flag must be polled; it resumes at the same instruction.
    OutOfFuel(Pc),
}

impl StopReason {
    /// The instruction at which it stopped.
    pub(crate) fn pc(self) -> Pc {
        match self {
            Self::Ended(pc)
            | Self::AtBarrier(pc)
            | Self::AtCollective(pc)
            | Self::OutOfFuel(pc) => pc,
        }
    }
}

/// The fuel and work that an invocation may consume before it must stop.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meter {
    /// Fuel: iterations, calls, and words in large amounts.
    pub(crate) fuel: u32,
    /// Work until the cancel flag must be polled, in units of about one instruction. An iteration or call that has
    /// begun is completed, so it may become negative.
    pub(crate) work: i64,
}

impl Meter {
    /// Consumes fuel and work; returns `false` if there is too little fuel, or if the flag must be polled first.
    #[inline(always)]
    pub(crate) fn take(&mut self, units: u32, work: u32) -> bool {
        if self.fuel < units || self.work <= 0 {
            return false;
        }
        self.fuel -= units;
        self.work -= i64::from(work);
        true
    }
}

/// Executes from `pc` on. Every back edge and every call is metered, so no program runs for long without a check.
///
/// A table of instructions, one per line: what an instruction does is in the function that its line calls.
#[rustfmt::skip]
pub(crate) fn run(
    code: &Bytecode,
    mut pc: Pc,
    registers: &mut [u32],
    memory: &mut Memory<'_>,
    meter: &mut Meter,
) -> StopReason {
    let r = registers;
    loop {
        let here = pc;
        pc += 1;
        match code.instrs[here as usize] {
            // One word is by far the most frequent size, and a call to memmove costs more.
            Instr::Copy { dst, src, n: 1 } => r[dst as usize] = r[src as usize],
            Instr::Copy { dst, src, n } => r.copy_within(range(src, n), dst as usize),
            Instr::Zero { dst, n } => r[range(dst, n)].fill(0),
            Instr::Splat { dst, src, n } => splat(r, dst, src, n),
            Instr::Element { dst, base, index, len, n } => copy_element(r, dst, base, index, len, n),

            Instr::Unary { op, n, dst, a } => unary(r, op, n, dst, a),
            Instr::Binary { op, n, dst, a, b } => binary(r, op, n, dst, a, b),
            Instr::Ternary { op, n, dst, a, b, c } => ternary(r, op, n, dst, [a, b, c]),
            Instr::InsertBits { n, dst, args } => insert_bits(r, n, dst, args),
            Instr::Geometric { op, n, dst, a, b, c } => geometric::run::<F32>(r, op, n.into(), dst as usize, indices([a, b, c])),
            Instr::Matrix { op, columns, rows, dst, a, b } => matrix::run::<F32>(r, op, (columns, rows), dst as usize, indices([a, b])),
            Instr::Typed { of, op, n, dst, args } => typed::run(r, of, op, n, dst, args),
            Instr::Packing { op, dst, a, b } => packing::run(r, op, dst as usize, [a, b]),

            Instr::Index { dst, base, index, len, stride } => r[dst as usize] = element(r[base as usize], r[index as usize], len, stride),
            Instr::IndexWithin { dst, index, len, stride } => r[dst as usize] = element(0, r[index as usize], r[len as usize], stride),
            Instr::IndexRuntime { dst, index, buffer, start, stride } => index_runtime(r, memory, dst, index, (buffer, start, stride)),
            Instr::Offset { dst, base, by } => r[dst as usize] = offset(r[base as usize], by),
            Instr::ArrayLength { dst, buffer, start, stride } => r[dst as usize] = memory.array_length(buffer, start, stride),
            Instr::ElementLength { dst, element, start, stride } => r[dst as usize] = memory.element_length(r, element, start, stride),

            Instr::Load { dst, from, n } => memory.load(r, from, dst, n),
            Instr::Store { to, src, n } => memory.store(r, to, src, n),
            Instr::LoadRuns { dst, from, runs } => load_runs(r, memory, from, dst, &code.run_lists[runs as usize]),
            Instr::StoreRuns { to, src, runs } => store_runs(r, memory, to, src, &code.run_lists[runs as usize]),
            Instr::LoadHalves { dst, from, runs } => memory.load_halves(r, from, dst, &code.run_lists[runs as usize]),
            Instr::StoreHalves { to, src, runs } => memory.store_halves(r, to, src, &code.run_lists[runs as usize]),
            Instr::Atomic { op, dst, at, value, compare } => memory.atomic(r, op, at, dst, [value, compare]),
            Instr::Atomic64 { op, dst, at, value, compare } => memory.atomic64(r, op, at, dst, [value, compare]),
            Instr::Texture { access } => texture::run(r, memory, &code.textures[access as usize]),
            Instr::TextureElement { dst, array, index } => r[dst as usize] = texture::element(memory, array, r[index as usize]),

            Instr::Jump { to } => pc = to,
            Instr::JumpIf { condition, to } => if r[condition as usize] != 0 { pc = to },
            Instr::JumpUnless { condition, to } => if r[condition as usize] == 0 { pc = to },
            Instr::Switch { selector, table } => pc = code.switches[table as usize].target(r[selector as usize]),
            Instr::LoopBack { to, work } => {
                if !meter.take(1, work) { return StopReason::OutOfFuel(here) }
                pc = to;
            }
            Instr::NextIteration { counter } => increment64(r, counter),
            Instr::ChargeFuel { units } => if !meter.take(units, 0) { return StopReason::OutOfFuel(here) },
            Instr::Call { to, link, work } => {
                if !meter.take(1, work) { return StopReason::OutOfFuel(here) }
                r[link as usize] = pc;
                pc = to;
            }
            Instr::Return { link } => pc = r[link as usize],
            Instr::Barrier => return StopReason::AtBarrier(here),
            Instr::Collective { .. } => return StopReason::AtCollective(here),
            Instr::End => return StopReason::Ended(here),
        }
    }
}

#[inline(always)]
fn splat(r: &mut [u32], dst: Reg, src: Reg, n: u32) {
    let value = r[src as usize];
    r[range(dst, n)].fill(value);
}

/// Copies an element of an array in registers; zeros if the index is not less than `len`.
#[inline(always)]
fn copy_element(r: &mut [u32], dst: Reg, base: Reg, index: Reg, len: u32, n: u32) {
    let index = r[index as usize];
    if index < len {
        r.copy_within(range(base + index * n, n), dst as usize);
    } else {
        r[range(dst, n)].fill(0);
    }
}

#[inline(always)]
fn insert_bits(r: &mut [u32], n: u8, dst: Reg, args: [Reg; 4]) {
    let [e, new, offset, count] = indices(args);
    for i in 0..usize::from(n) {
        r[dst as usize + i] = integer::insert_bits(r[e + i], r[new + i], r[offset], r[count]);
    }
}

/// The address of an element of a runtime-sized array.
#[inline(always)]
fn index_runtime(
    r: &mut [u32],
    memory: &Memory<'_>,
    dst: Reg,
    index: Reg,
    (buffer, start, stride): (u16, u32, u32),
) {
    let len = memory.array_length(buffer, start, stride);
    r[dst as usize] = element(0, r[index as usize], len, stride);
}

/// An address moved by a constant; an address out of bounds stays one.
#[inline(always)]
fn offset(base: u32, by: u32) -> u32 {
    match base {
        OUT_OF_BOUNDS => OUT_OF_BOUNDS,
        base => base.checked_add(by).unwrap_or(OUT_OF_BOUNDS),
    }
}

#[inline(always)]
fn load_runs(r: &mut [u32], memory: &mut Memory<'_>, from: Address, dst: Reg, runs: &[Run]) {
    for run in runs {
        memory.load(r, from.plus(run.memory), dst + run.register, run.words);
    }
}

#[inline(always)]
fn store_runs(r: &mut [u32], memory: &mut Memory<'_>, to: Address, src: Reg, runs: &[Run]) {
    for run in runs {
        memory.store(r, to.plus(run.memory), src + run.register, run.words);
    }
}

/// Increments a counter of two words, the low one first.
#[inline(always)]
fn increment64(r: &mut [u32], counter: Reg) {
    let low = &mut r[counter as usize];
    *low = low.wrapping_add(1);
    if *low == 0 {
        r[counter as usize + 1] += 1;
    }
}

/// Registers as indices.
#[inline(always)]
fn indices<const N: usize>(registers: [Reg; N]) -> [usize; N] {
    registers.map(|register| register as usize)
}

fn range(first: Reg, n: u32) -> std::ops::Range<usize> {
    first as usize..(first + n) as usize
}

fn map1(r: &mut [u32], n: u8, dst: Reg, a: Reg, f: impl Fn(u32) -> u32) {
    for i in 0..u32::from(n) {
        r[(dst + i) as usize] = f(r[(a + i) as usize]);
    }
}

fn map1f(r: &mut [u32], n: u8, dst: Reg, a: Reg, f: impl Fn(f32) -> f32) {
    map1(r, n, dst, a, |x| f(f32::from_bits(x)).to_bits());
}

fn map2(r: &mut [u32], n: u8, dst: Reg, [a, b]: [Reg; 2], f: impl Fn(u32, u32) -> u32) {
    for i in 0..u32::from(n) {
        r[(dst + i) as usize] = f(r[(a + i) as usize], r[(b + i) as usize]);
    }
}

fn map2f(r: &mut [u32], n: u8, dst: Reg, ab: [Reg; 2], f: impl Fn(f32, f32) -> f32) {
    map2(r, n, dst, ab, |x, y| {
        f(f32::from_bits(x), f32::from_bits(y)).to_bits()
    });
}

fn compare(r: &mut [u32], n: u8, dst: Reg, ab: [Reg; 2], f: impl Fn(f32, f32) -> bool) {
    map2(r, n, dst, ab, |x, y| {
        u32::from(f(f32::from_bits(x), f32::from_bits(y)))
    });
}

fn map2i(r: &mut [u32], n: u8, dst: Reg, ab: [Reg; 2], f: impl Fn(i32, i32) -> i32) {
    map2(r, n, dst, ab, |x, y| f(x as i32, y as i32) as u32);
}

fn map3(r: &mut [u32], n: u8, dst: Reg, [a, b, c]: [Reg; 3], f: impl Fn(u32, u32, u32) -> u32) {
    for i in 0..u32::from(n) {
        let at = |reg: Reg| r[(reg + i) as usize];
        r[(dst + i) as usize] = f(at(a), at(b), at(c));
    }
}

fn map3f(r: &mut [u32], n: u8, dst: Reg, abc: [Reg; 3], f: impl Fn(f32, f32, f32) -> f32) {
    map3(r, n, dst, abc, |x, y, z| {
        f(f32::from_bits(x), f32::from_bits(y), f32::from_bits(z)).to_bits()
    });
}

fn unary(r: &mut [u32], op: Unary, n: u8, dst: Reg, a: Reg) {
    use Unary as U;
    match op {
        // Flipping the sign bit also negates zeros and NaNs.
        U::NegF32 => map1(r, n, dst, a, |x| x ^ 0x8000_0000),
        U::NegI32 => map1(r, n, dst, a, u32::wrapping_neg),
        U::NotBool => map1(r, n, dst, a, |x| x ^ 1),
        U::NotBits => map1(r, n, dst, a, |x| !x),
        U::IsNan => map1(r, n, dst, a, |x| u32::from(f32::from_bits(x).is_nan())),
        U::IsInf => map1(r, n, dst, a, |x| u32::from(f32::from_bits(x).is_infinite())),
        U::F32ToI32 => map1(r, n, dst, a, |x| float::to_i32(f32::from_bits(x)) as u32),
        U::F32ToU32 => map1(r, n, dst, a, |x| float::to_u32(f32::from_bits(x))),
        U::I32ToF32 => map1(r, n, dst, a, |x| (x as i32 as f32).to_bits()),
        U::U32ToF32 => map1(r, n, dst, a, |x| (x as f32).to_bits()),
        U::WordToBool => map1(r, n, dst, a, |x| u32::from(x != 0)),
        U::F32ToBool => map1(r, n, dst, a, |x| u32::from(f32::from_bits(x) != 0.0)),
        U::BoolToF32 => map1(r, n, dst, a, |x| (x as f32).to_bits()),
        U::Abs => map1(r, n, dst, a, |x| x & 0x7fff_ffff),
        U::Saturate => map1f(r, n, dst, a, |x| float::clamp(x, 0.0, 1.0)),
        U::Sign => map1f(r, n, dst, a, float::sign),
        U::Ceil => map1f(r, n, dst, a, f32::ceil),
        U::Floor => map1f(r, n, dst, a, f32::floor),
        U::Round => map1f(r, n, dst, a, f32::round_ties_even),
        U::Trunc => map1f(r, n, dst, a, f32::trunc),
        U::Fract => map1f(r, n, dst, a, |x| x - x.floor()),
        U::Sqrt => map1f(r, n, dst, a, f32::sqrt),
        U::InverseSqrt => map1f(r, n, dst, a, |x| (1.0 / f64::from(x).sqrt()) as f32),
        U::Radians => map1f(r, n, dst, a, |x| x * (std::f32::consts::PI / 180.0)),
        U::Degrees => map1f(r, n, dst, a, |x| x * (180.0 / std::f32::consts::PI)),
        U::QuantizeToF16 => map1f(r, n, dst, a, |x| half::f16::from_f32(x).to_f32()),
        U::Cos => map1f(r, n, dst, a, float::through_f64(libm::cos)),
        U::Sin => map1f(r, n, dst, a, float::through_f64(libm::sin)),
        U::Tan => map1f(r, n, dst, a, float::through_f64(libm::tan)),
        U::Acos => map1f(r, n, dst, a, float::through_f64(libm::acos)),
        U::Asin => map1f(r, n, dst, a, float::through_f64(libm::asin)),
        U::Atan => map1f(r, n, dst, a, float::through_f64(libm::atan)),
        U::Cosh => map1f(r, n, dst, a, float::through_f64(libm::cosh)),
        U::Sinh => map1f(r, n, dst, a, float::through_f64(libm::sinh)),
        U::Tanh => map1f(r, n, dst, a, float::through_f64(libm::tanh)),
        U::Acosh => map1f(r, n, dst, a, float::through_f64(libm::acosh)),
        U::Asinh => map1f(r, n, dst, a, float::through_f64(libm::asinh)),
        U::Atanh => map1f(r, n, dst, a, float::through_f64(libm::atanh)),
        U::Exp => map1f(r, n, dst, a, float::through_f64(libm::exp)),
        U::Exp2 => map1f(r, n, dst, a, float::through_f64(libm::exp2)),
        U::Log => map1f(r, n, dst, a, float::through_f64(libm::log)),
        U::Log2 => map1f(r, n, dst, a, float::through_f64(libm::log2)),
        U::AbsI32 => map1(r, n, dst, a, |x| (x as i32).wrapping_abs() as u32),
        U::SignI32 => map1(r, n, dst, a, |x| (x as i32).signum() as u32),
        U::CountTrailingZeros => map1(r, n, dst, a, u32::trailing_zeros),
        U::CountLeadingZeros => map1(r, n, dst, a, u32::leading_zeros),
        U::CountOneBits => map1(r, n, dst, a, u32::count_ones),
        U::ReverseBits => map1(r, n, dst, a, u32::reverse_bits),
        U::FirstTrailingBit => map1(r, n, dst, a, integer::first_trailing_bit),
        U::FirstLeadingBitU32 => map1(r, n, dst, a, integer::first_leading_bit),
        U::FirstLeadingBitI32 => map1(r, n, dst, a, integer::first_leading_bit_signed),
    }
}

/// Called in the interpreter loop and elsewhere; inlined because it dominates the loop's speed.
#[inline(always)]
fn binary(r: &mut [u32], op: Binary, n: u8, dst: Reg, a: Reg, b: Reg) {
    use Binary as B;
    let ab = [a, b];
    match op {
        B::AddF32 => map2f(r, n, dst, ab, |x, y| x + y),
        B::SubF32 => map2f(r, n, dst, ab, |x, y| x - y),
        B::MulF32 => map2f(r, n, dst, ab, |x, y| x * y),
        B::DivF32 => map2f(r, n, dst, ab, |x, y| x / y),
        B::RemF32 => map2f(r, n, dst, ab, float::remainder),
        B::AddInt => map2(r, n, dst, ab, u32::wrapping_add),
        B::SubInt => map2(r, n, dst, ab, u32::wrapping_sub),
        B::MulInt => map2(r, n, dst, ab, u32::wrapping_mul),
        B::DivI32 => map2i(r, n, dst, ab, integer::divide_signed),
        B::DivU32 => map2(r, n, dst, ab, |x, y| x.checked_div(y).unwrap_or(x)),
        B::RemI32 => map2i(r, n, dst, ab, integer::remainder_signed),
        B::RemU32 => map2(r, n, dst, ab, |x, y| x.checked_rem(y).unwrap_or(0)),
        B::And => map2(r, n, dst, ab, |x, y| x & y),
        B::Or => map2(r, n, dst, ab, |x, y| x | y),
        B::Xor => map2(r, n, dst, ab, |x, y| x ^ y),
        // The wrapping forms take the shift modulo 32, as WGSL does.
        B::ShiftLeft => map2(r, n, dst, ab, u32::wrapping_shl),
        B::ShiftRightI32 => map2(r, n, dst, ab, |x, y| (x as i32).wrapping_shr(y) as u32),
        B::ShiftRightU32 => map2(r, n, dst, ab, u32::wrapping_shr),
        B::EqualF32 => compare(r, n, dst, ab, |x, y| x == y),
        B::NotEqualF32 => compare(r, n, dst, ab, |x, y| x != y),
        B::LessF32 => compare(r, n, dst, ab, |x, y| x < y),
        B::LessEqualF32 => compare(r, n, dst, ab, |x, y| x <= y),
        B::EqualWord => map2(r, n, dst, ab, |x, y| u32::from(x == y)),
        B::NotEqualWord => map2(r, n, dst, ab, |x, y| u32::from(x != y)),
        B::LessI32 => map2(r, n, dst, ab, |x, y| u32::from((x as i32) < (y as i32))),
        B::LessEqualI32 => map2(r, n, dst, ab, |x, y| u32::from((x as i32) <= (y as i32))),
        B::LessU32 => map2(r, n, dst, ab, |x, y| u32::from(x < y)),
        B::LessEqualU32 => map2(r, n, dst, ab, |x, y| u32::from(x <= y)),
        B::MinF32 => map2f(r, n, dst, ab, float::min),
        B::MaxF32 => map2f(r, n, dst, ab, float::max),
        B::MinI32 => map2i(r, n, dst, ab, i32::min),
        B::MaxI32 => map2i(r, n, dst, ab, i32::max),
        B::MinU32 => map2(r, n, dst, ab, u32::min),
        B::MaxU32 => map2(r, n, dst, ab, u32::max),
        B::Atan2 => map2f(r, n, dst, ab, |y, x| {
            libm::atan2(f64::from(y), f64::from(x)) as f32
        }),
        B::Pow => map2f(r, n, dst, ab, float::pow),
        B::Step => map2f(r, n, dst, ab, |edge, x| if edge <= x { 1.0 } else { 0.0 }),
        B::Ldexp => map2(r, n, dst, ab, |x, exponent| {
            float::ldexp(f32::from_bits(x), exponent as i32).to_bits()
        }),
    }
}

/// Combines the `n` numbers at register 0 with those at `b`, and leaves them at register 0.
pub(crate) fn fold(r: &mut [u32], of: Number, op: Binary, n: u8, b: Reg) {
    if of.bits() == 32 {
        binary(r, op, n, 0, 0, b);
    } else {
        typed::run(r, of, TypedOp::Binary(op), n, 0, [0, b, 0, 0]);
    }
}

/// The identity element of an operation: the first value of an exclusive scan.
pub(crate) fn identity(of: Number, op: Binary) -> Vec<u32> {
    let mut words = vec![0; of.words() as usize];
    match op {
        Binary::MulInt => number::put_integer(&mut words, of, 0, 0, 1),
        Binary::MulF32 => number::put_float(&mut words, of, 0, 0, 1.0),
        // Only sums and products are scanned.
        _ => {}
    }
    words
}

fn ternary(r: &mut [u32], op: Ternary, n: u8, dst: Reg, abc: [Reg; 3]) {
    use Ternary as T;
    match op {
        T::Select => map3(r, n, dst, abc, |x, y, c| if c != 0 { x } else { y }),
        T::Fma => map3f(r, n, dst, abc, f32::mul_add),
        T::Mix => map3f(r, n, dst, abc, |x, y, t| x * (1.0 - t) + y * t),
        T::SmoothStep => map3f(r, n, dst, abc, float::smooth_step),
        T::ClampF32 => map3f(r, n, dst, abc, float::clamp),
        T::ClampI32 => map3(r, n, dst, abc, |x, low, high| {
            (x as i32).max(low as i32).min(high as i32) as u32
        }),
        T::ClampU32 => map3(r, n, dst, abc, |x, low, high| x.max(low).min(high)),
        T::ExtractBitsI32 => map3(r, n, dst, abc, integer::extract_bits_signed),
        T::ExtractBitsU32 => map3(r, n, dst, abc, integer::extract_bits),
    }
}
