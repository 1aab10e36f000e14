//! The builtin functions that random kernels call, by the type of their result.
//!
//! Only functions that WGSL makes exact for the values in random kernels: no division of floats, no roots, and
//! functions with an error bound only for arguments at which the error has no effect. Float functions that round get
//! multiples of a quarter.

use super::tree::Growth;
use super::types::{Scalar, Type};
use anywarp_test_support::Random;

/// The type of an argument, relative to the result.
#[derive(Clone, Copy)]
enum Arg {
    Same,
    /// `bool` of the same width.
    Choice,
    Fixed(Scalar, u32),
    /// A vector of the result's scalar.
    Wide(u32),
    Matrix(u32, u32),
}

use Arg::{Choice, Fixed, Same, Wide};
use Growth::{Grows, Stays};
use Scalar::{Bool, F32, I32, U32};

type Row = (&'static str, &'static [Arg], Growth);

const ANY: &[Row] = &[
    ("select($0, $1, $2)", &[Same, Same, Choice], Stays),
    ("select($0, $1, $2)", &[Same, Same, Fixed(Bool, 1)], Stays),
];

const NUMBERS: &[Row] = &[
    ("abs($0)", &[Same], Stays),
    ("min($0, $1)", &[Same, Same], Stays),
    ("max($0, $1)", &[Same, Same], Stays),
];

const INTEGERS: &[Row] = &[("clamp($0, $1, $2)", &[Same, Same, Same], Stays)];

/// naga 30 cannot write these as SPIR-V for 16 and 64 bits.
const BITS: &[Row] = &[
    ("countLeadingZeros($0)", &[Same], Stays),
    ("countOneBits($0)", &[Same], Stays),
    ("countTrailingZeros($0)", &[Same], Stays),
    ("firstLeadingBit($0)", &[Same], Stays),
    ("firstTrailingBit($0)", &[Same], Stays),
    ("reverseBits($0)", &[Same], Stays),
    (
        "extractBits($0, $1, $2)",
        &[Same, Fixed(U32, 1), Fixed(U32, 1)],
        Stays,
    ),
    (
        "insertBits($0, $1, $2, $3)",
        &[Same, Same, Fixed(U32, 1), Fixed(U32, 1)],
        Stays,
    ),
];

const FLOATS: &[Row] = &[
    ("sign($0)", &[Same], Stays),
    ("saturate($0)", &[Same], Stays),
    ("floor($0 * 0.25)", &[Same], Stays),
    ("ceil($0 * 0.25)", &[Same], Stays),
    ("round($0 * 0.25)", &[Same], Stays),
    ("trunc($0 * 0.25)", &[Same], Stays),
    ("(fract($0 * 0.25) * 4.0)", &[Same], Stays),
    ("step($0, $1)", &[Same, Same], Stays),
    ("fma($0, $1, $2)", &[Same, Same, Same], Grows),
];

const ONLY_F32: &[Row] = &[
    ("modf($0 * 0.25).whole", &[Same], Stays),
    ("(modf($0 * 0.25).fract * 4.0)", &[Same], Stays),
    ("(frexp($0).fract * 1024.0)", &[Same], Stays),
    ("quantizeToF16($0)", &[Same], Stays),
    // Exact in spite of the error of the root: 1 for zero, and 0 for every other integer.
    (
        "saturate(floor(inverseSqrt(abs($0)) * 0.5))",
        &[Same],
        Stays,
    ),
];

const SCALAR_INTEGER: &[Row] = &[
    ("dot($0, $1)", &[Wide(2), Wide(2)], Stays),
    ("dot($0, $1)", &[Wide(3), Wide(3)], Stays),
    ("dot($0, $1)", &[Wide(4), Wide(4)], Stays),
];

const SCALAR_FLOAT: &[Row] = &[
    ("dot($0, $1)", &[Wide(2), Wide(2)], Grows),
    ("dot($0, $1)", &[Wide(3), Wide(3)], Grows),
    ("dot($0, $1)", &[Wide(4), Wide(4)], Grows),
    ("determinant($0)", &[Arg::Matrix(2, 2)], Grows),
    ("trunc(ldexp($0, -2i))", &[Same], Stays),
];

/// Functions of one type only.
const SPECIAL: &[(Scalar, u32, Row)] = &[
    (
        I32,
        1,
        (
            "dot4I8Packed($0, $1)",
            &[Fixed(U32, 1), Fixed(U32, 1)],
            Stays,
        ),
    ),
    (I32, 1, ("frexp($0).exp", &[Fixed(F32, 1)], Stays)),
    (
        U32,
        1,
        (
            "dot4U8Packed($0, $1)",
            &[Fixed(U32, 1), Fixed(U32, 1)],
            Stays,
        ),
    ),
    (U32, 1, ("pack4xI8($0)", &[Fixed(I32, 4)], Stays)),
    (U32, 1, ("pack4xU8($0)", &[Fixed(U32, 4)], Stays)),
    (U32, 1, ("pack4xI8Clamp($0)", &[Fixed(I32, 4)], Stays)),
    (U32, 1, ("pack4xU8Clamp($0)", &[Fixed(U32, 4)], Stays)),
    (I32, 4, ("unpack4xI8($0)", &[Fixed(U32, 1)], Stays)),
    (U32, 4, ("unpack4xU8($0)", &[Fixed(U32, 1)], Stays)),
    (
        F32,
        2,
        ("unpack2x16float(pack2x16float($0))", &[Same], Stays),
    ),
    (F32, 3, ("cross($0, $1)", &[Same, Same], Grows)),
    (Bool, 1, ("any($0)", &[Fixed(Bool, 3)], Stays)),
    (Bool, 1, ("all($0)", &[Fixed(Bool, 2)], Stays)),
    (Bool, 1, ("any($0)", &[Fixed(Bool, 4)], Stays)),
];

/// Operations on the invocation's own atomic, which return its old value.
pub(crate) const OWN_ATOMIC: [&str; 8] = [
    "atomicAdd(&owned[slot], $0)",
    "atomicSub(&owned[slot], $0)",
    "atomicMax(&owned[slot], $0)",
    "atomicMin(&owned[slot], $0)",
    "atomicAnd(&owned[slot], $0)",
    "atomicOr(&owned[slot], $0)",
    "atomicXor(&owned[slot], $0)",
    "atomicExchange(&owned[slot], $0)",
];

/// Operations on float atomics. The operands are small, so that sums stay exact.
pub(crate) const OWN_FLOAT_ATOMIC: [&str; 3] = [
    "atomicAdd(&owned[slot], fract($0 * 0.125) * 8.0)",
    "atomicSub(&owned[slot], fract($0 * 0.125) * 8.0)",
    "atomicExchange(&owned[slot], $0)",
];

/// A function with this result type, and the types of its arguments.
///
/// Bit functions have 32 bits unless `every_bit`.
pub(crate) fn choose(
    random: &mut Random,
    ty: &Type,
    every_bit: bool,
) -> Option<(&'static str, Growth, Vec<Type>)> {
    let (scalar, width) = (ty.scalar()?, ty.width()?);
    let mut rows: Vec<&Row> = ANY.iter().collect();
    if scalar != Bool {
        rows.extend(NUMBERS);
    }
    if scalar.is_integer() {
        rows.extend(INTEGERS);
        rows.extend(BITS.iter().filter(|_| scalar.size() == 4 || every_bit));
        rows.extend(SCALAR_INTEGER.iter().filter(|_| width == 1));
    }
    if scalar.is_signed() {
        rows.push(&("sign($0)", &[Same], Stays));
    }
    if scalar.is_float() {
        rows.extend(FLOATS);
        rows.extend(ONLY_F32.iter().filter(|_| scalar == F32));
        rows.extend(SCALAR_FLOAT.iter().filter(|_| width == 1));
    }
    rows.extend(
        SPECIAL
            .iter()
            .filter_map(|(on, at, row)| ((*on, *at) == (scalar, width)).then_some(row)),
    );
    let (template, arguments, growth) = random.pick(&rows);
    let arguments = arguments.iter().map(|argument| match *argument {
        Same => ty.clone(),
        Choice => Type::wide(Bool, width),
        Fixed(scalar, width) => Type::wide(scalar, width),
        Wide(width) => Type::wide(scalar, width),
        Arg::Matrix(columns, rows) => Type::Matrix(scalar, columns, rows),
    });
    Some((template, *growth, arguments.collect()))
}
