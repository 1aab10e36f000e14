//! Range reduction of angles: subtracts a multiple of pi or of pi/2.
//!
//! Below [`CODY_WAITE_LIMIT`] by three multiplications with parts of pi (Cody and Waite). If an active lane is at
//! or above it, a slow path in a separate block multiplies by the bits of 1/pi that matter for the number's
//! exponent (Payne and Hanek). The slow path is rarely executed but is generated wherever an angle is reduced, so
//! it is small rather than precise: its relative error may be large close to zero, its absolute error is that of
//! the fast path.

use super::{ROUNDER, add, add_to, fma_by, mul, mul_by, product_rest, sub};
use crate::build::Builder;
use crate::ir::{Edge, LaneCompare, LaneUnary, Op, Type, Value, WordBinary, WordCompare};

/// The multiples that are subtracted: `period * (n + offset)` for an integer `n`.
#[derive(Clone, Copy)]
pub(super) struct Period {
    /// The period, in units of pi/2.
    halves: f32,
    /// The fraction of a period that is added to the multiple, in periods.
    offset: f32,
}

impl Period {
    /// Multiples of pi.
    pub(super) const PI: Self = Self {
        halves: 2.0,
        offset: 0.0,
    };
    /// Odd multiples of pi/2.
    pub(super) const PI_AND_HALF: Self = Self {
        halves: 2.0,
        offset: 0.5,
    };
    /// Multiples of pi/2.
    pub(super) const HALF_PI: Self = Self {
        halves: 1.0,
        offset: 0.0,
    };
}

/// A reduced angle, and the parity of the multiple.
pub(super) struct Reduced {
    /// The reduced angle.
    pub(super) r: Value,
    /// A word whose lowest bit is that of `n`.
    pub(super) parity: Value,
}

/// pi/2 as a sum of three floats, each below the remaining value, so that subtracting a zero multiple keeps the
/// sign of zero.
const HALF_PI: [f32; 3] = [
    f32::from_bits(0x3fc9_0fda),
    f32::from_bits(0x33a2_2168),
    f32::from_bits(0x27c2_34c4),
];

/// Below this magnitude, the multiple of pi is found by one multiplication.
const CODY_WAITE_LIMIT: f32 = 131_072.0;

/// By `j`: `2^(8 j) / pi`, brought between 512 and 1024 by a multiple of 512, as the bits of three floats that are
/// to be added.
const TURNS: [[u32; 16]; 3] = [
    [
        0x4400_145f,
        0x4414_5f30,
        0x445f_306d,
        0x4430_6dc9,
        0x446d_c9c8,
        0x4449_c882,
        0x4448_82a5,
        0x4402_a53f,
        0x4425_3f84,
        0x443f_84ea,
        0x4404_eafa,
        0x446a_fa3e,
        0x447a_3ea6,
        0x443e_a69b,
        0x4426_9bb8,
        0x441b_b81b,
    ],
    [
        0x3741_b727,
        0x37db_9391,
        0x3849_c882,
        0x3848_82a5,
        0x3802_a53f,
        0x3825_3f84,
        0x377e_13ab,
        0x3804_eafa,
        0x386a_fa3e,
        0x387a_3ea6,
        0x377a_9a6e,
        0x3826_9bb8,
        0x381b_b81b,
        0x3838_1b6c,
        0x36db_6295,
        0x37d8_a566,
    ],
    [
        0x2a08_2a54,
        0x2929_4fe1,
        0x2c25_3f85,
        0x2b7e_13ac,
        0x2c04_eafa,
        0x2c6a_fa3f,
        0x2b68_fa9a,
        0x2b7a_9a6f,
        0x2c26_9bb8,
        0x2c1b_b81b,
        0x2b60_6db1,
        0x2adb_6296,
        0x2bd8_a566,
        0x2ba5_664f,
        0x2a99_3c44,
        0x2b1e_21c8,
    ],
];

/// The exponent at which `j` is 0.
const LEAST: u32 = 142;

/// Reduces angles; lanes outside `active` may hold any value.
pub(super) fn reduce(b: &mut Builder, x: Value, period: Period, active: Option<Value>) -> Reduced {
    let near = reduce_near(b, x, period);
    let size = b.abs(x);
    let limit = b.splat_f(CODY_WAITE_LIMIT);
    let is_far = match active {
        Some(active) => b.inst(Op::MaskedCompare(LaneCompare::LeF), &[limit, size, active]),
        None => b.compare(LaneCompare::LeF, limit, size),
    };
    let (slow, join) = (b.add_block(), b.add_block());
    let r = b.add_parameter(join, Type::Lanes);
    let parity = b.add_parameter(join, Type::Lanes);
    let skip = Edge {
        block: join,
        arguments: vec![near.r, near.parity],
    };
    b.branch(is_far, Edge::to(slow), skip);
    b.switch_to(slow);
    let far = reduce_far(b, x, size, period);
    let either = [
        b.select(is_far, far.r, near.r),
        b.select(is_far, far.parity, near.parity),
    ];
    b.jump(join, &either);
    b.switch_to(join);
    Reduced { r, parity }
}

fn reduce_near(b: &mut Builder, x: Value, period: Period) -> Reduced {
    let rounder = b.splat_f(ROUNDER);
    let scale = std::f32::consts::FRAC_2_PI / period.halves;
    let shifted = if period.offset == 0.0 {
        fma_by(b, x, scale, rounder)
    } else {
        let offset = b.splat_f(-period.offset);
        let turns = fma_by(b, x, scale, offset);
        add(b, turns, rounder)
    };
    let n = sub(b, shifted, rounder);
    let n = if period.offset == 0.0 {
        n
    } else {
        add_to(b, n, period.offset)
    };
    // The first step is exact; the errors of the others are relative to the result.
    let r = HALF_PI
        .iter()
        .fold(x, |r, part| fma_by(b, n, -part * period.halves, r));
    Reduced { r, parity: shifted }
}

/// Reduces finite angles from [`CODY_WAITE_LIMIT`] on, with an absolute error below 2^-20; infinities give NaN.
///
/// Subtracts a multiple of eight, `8 j`, from the exponent, so that the rest is a multiple of 2^-8, and multiplies
/// by the table's factor for `j`. The multiple of 512 in that factor contributes a multiple of 2 (in units of pi),
/// that is, whole turns.
fn reduce_far(b: &mut Builder, x: Value, size: Value, period: Period) -> Reduced {
    let exponent = b.inst(Op::ShrBy(23), &[size]);
    let least = b.splat(LEAST);
    let above = b.int(WordBinary::Sub, exponent, least);
    let j = b.inst(Op::ShrBy(3), &[above]);
    let taken = b.inst(Op::ShlBy(26), &[j]);
    let rest = b.int(WordBinary::Sub, x, taken);
    let [first, second, third] = TURNS.map(|table| look_up(b, &table, j));
    // The rounded product with the first float is so large that it is a multiple of 2.
    let high = mul(b, rest, first);
    let turns = product_rest(b, rest, first, high);
    let turns = without_twos(b, turns);
    let high = mul(b, rest, second);
    let low = product_rest(b, rest, second, high);
    let low = b.fma(rest, third, low);
    let high = without_twos(b, high);
    let turns = add(b, turns, high);
    let turns = add(b, turns, low);
    let periods = mul_by(b, turns, 2.0 / period.halves);
    let periods = add_to(b, periods, -period.offset);
    let n = b.unary(LaneUnary::Round, periods);
    let fraction = sub(b, periods, n);
    let nan_if_infinite = sub(b, x, x);
    let unit = std::f32::consts::FRAC_PI_2 * period.halves;
    Reduced {
        r: fma_by(b, fraction, unit, nan_if_infinite),
        parity: b.unary(LaneUnary::ToS, n),
    }
}

/// Subtracts the nearest multiple of 2.
fn without_twos(b: &mut Builder, x: Value) -> Value {
    let twos = mul_by(b, x, 0.5);
    let twos = b.unary(LaneUnary::Round, twos);
    fma_by(b, twos, -2.0, x)
}

/// Table lookup, lane by lane.
fn look_up(b: &mut Builder, table: &[u32; 16], index: Value) -> Value {
    let lanes = b.function().lanes as usize;
    let parts: Vec<_> = table
        .chunks(lanes)
        .map(|part| {
            let part = b.pattern(part);
            b.inst(Op::Permute, &[part, index])
        })
        .collect();
    match parts[..] {
        [low, high] => {
            let half = b.splat(8);
            let is_low = b.compare(LaneCompare::Int(WordCompare::LtU), index, half);
            b.select(is_low, low, high)
        }
        _ => parts[0],
    }
}
