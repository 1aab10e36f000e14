//! Operands at the edges, as bits.

use crate::compile::ir::Type;

const F32: &[f32] = &[
    0.0,
    0.5,
    1.0,
    1.5,
    2.5,
    3.5,
    0.1,
    1e-40,
    1e-45,
    f32::MIN_POSITIVE,
    f32::MAX,
    f32::INFINITY,
    2147483520.0,
    2147483648.0,
    2147483904.0,
    4294967040.0,
    4294967296.0,
    8388607.5,
    8388608.5,
    4194304.5,
    9223371487098961920.0,
    9223372036854775808.0,
    18446742974197923840.0,
    18446744073709551616.0,
    0.49999997,
    0.9999999,
    123456.79,
];

const F64: &[f64] = &[
    0.0,
    0.5,
    1.0,
    1.5,
    2.5,
    3.5,
    0.1,
    5e-324,
    1e-310,
    f64::MIN_POSITIVE,
    f64::MAX,
    f64::INFINITY,
    2147483647.0,
    2147483647.5,
    2147483648.0,
    2147483648.9,
    2147483649.0,
    4294967295.0,
    4294967295.5,
    4294967296.0,
    9223372036854774784.0,
    9223372036854775808.0,
    18446744073709549568.0,
    18446744073709551616.0,
    4503599627370495.5,
    4503599627370496.5,
    2251799813685248.5,
    0.49999999999999994,
    1e300,
    16777217.0,
    1.000_000_178_813_934_3,
    3.4028235677973366e38,
    3.4028235e38,
    1e-45,
    7e-46,
];

const INTEGERS: &[u64] = &[
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    31,
    32,
    33,
    63,
    64,
    100,
    127,
    128,
    255,
    256,
    32767,
    32768,
    65535,
    65536,
    0x0080_0001,
    16777217,
    0x7fff_ffbf,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_0001,
    0x0020_0000_0000_0001,
    0x0100_0000_0000_0000,
    0x0123_4567_89ab_cdef,
    0x7fff_ff40_0000_0001,
    0x7fff_ffff_ffff_fdff,
    0x7fff_ffff_ffff_fe00,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0x8000_0080_0000_0001,
    0xffff_ff80_0000_0001,
    0xffff_ffff_ffff_fbff,
    0xffff_ffff_ffff_fc00,
    0xffff_ffff_8000_0000,
    0xffff_ffff_ffff_ff80,
    0xffff_ffff_ffff_fffe,
    0xffff_ffff_ffff_ffff,
    0xdead_beef_cafe_f00d,
];

/// The operands of a type.
pub(super) fn operands(ty: Type) -> Vec<u64> {
    let mut bits: Vec<u64> = match ty {
        Type::Unit | Type::Bool => vec![0, 1],
        Type::I32 => INTEGERS.iter().map(|&bits| bits & 0xffff_ffff).collect(),
        Type::I64 => INTEGERS.to_vec(),
        Type::F32 => {
            let signed = F32.iter().flat_map(|&x| [x, -x]);
            let numbers = signed.map(|x| u64::from(x.to_bits()));
            numbers
                .chain([0x7fc0_0000, 0xffc0_0000, 0x7fa0_1234, 0xff80_0001])
                .collect()
        }
        Type::F64 => {
            let signed = F64.iter().flat_map(|&x| [x, -x]);
            let numbers = signed.map(f64::to_bits);
            let nans = [
                0x7ff8 << 48,
                0xfff8 << 48,
                0x7ff4_0000_1234_0000,
                0xfff0_0000_0000_0001,
            ];
            numbers.chain(nans).collect()
        }
    };
    bits.sort_unstable();
    bits.dedup();
    bits
}
