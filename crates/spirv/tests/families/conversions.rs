//! Conversions and bitcasts.

use crate::families::assembly::Case;
use crate::families::machine::everywhere;

fn run(text: &str, from: &str, to: &str, input: &[u32], expected: &[u32]) {
    let case = Case {
        text,
        operands: &[from],
        result: to,
        ..Case::default()
    };
    everywhere(&case, &[input.to_vec()], |device, results| {
        assert_eq!(
            results[0], expected,
            "{text} from {from} to {to} of {input:x?} on {device}"
        );
    });
}

#[test]
fn bits_of_other_widths() {
    let cast = |from, to, input: &[u32], expected: &[u32]| {
        run("OpBitcast $T $0", from, to, input, expected);
    };
    cast("u32", "f32", &[0x7fc0_1234], &[0x7fc0_1234]);
    cast("v3f32", "v3i32", &[1, 2, 0xffff_ffff], &[1, 2, 0xffff_ffff]);
    cast("u32", "v2u16", &[0x8765_4321], &[0x4321, 0x8765]);
    cast("u32", "v2i16", &[0x8765_4321], &[0x4321, 0xffff_8765]);
    cast(
        "i32",
        "v4i8",
        &[0x80ff_017f],
        &[0x7f, 1, u32::MAX, 0xffff_ff80],
    );
    cast("v4u8", "f32", &[0x78, 0x56, 0x34, 0x12], &[0x1234_5678]);
    cast("v2i16", "i32", &[0xffff_8001, 2], &[0x0002_8001]);
    cast(
        "v4i16",
        "v2u32",
        &[0xffff_ffff, 0, 1, 0xffff_8000],
        &[0xffff, 0x8000_0001],
    );
    cast("v2i8", "u16", &[0xffff_ff80, 0x7f], &[0x7f80]);
    cast("u16", "v2u8", &[0xbeef], &[0xef, 0xbe]);
    cast("u8", "i8", &[0x80], &[0xffff_ff80]);
    cast("i16", "u16", &[0xffff_ffff], &[0xffff]);
}

#[test]
fn widths_of_integers() {
    run("OpUConvert $T $0", "i8", "u32", &[0xff], &[0xff]);
    run("OpUConvert $T $0", "u32", "i8", &[0x1ff], &[u32::MAX]);
    run("OpSConvert $T $0", "u8", "i32", &[0xff], &[u32::MAX]);
    run("OpSConvert $T $0", "i16", "u32", &[0x8000], &[0xffff_8000]);
    run("OpSConvert $T $0", "i32", "u16", &[0x12_8000], &[0x8000]);
    run(
        "OpUConvert $T $0",
        "v2u16",
        "v2i32",
        &[0xffff, 1],
        &[0xffff, 1],
    );
    run(
        "OpConvertSToF $T $0",
        "u8",
        "f32",
        &[0xff],
        &[(-1.0f32).to_bits()],
    );
    run(
        "OpConvertUToF $T $0",
        "i16",
        "f32",
        &[0xffff],
        &[65535.0f32.to_bits()],
    );
    run(
        "OpConvertFToS $T $0",
        "f32",
        "u8",
        &[(-2.0f32).to_bits()],
        &[0xfe],
    );
    run(
        "OpConvertFToU $T $0",
        "f32",
        "i32",
        &[3e9f32.to_bits()],
        &[3_000_000_000],
    );
    run(
        "OpConvertFToS $T $0",
        "v2f32",
        "v2i16",
        &[(-1.9f32).to_bits(), 7.9f32.to_bits()],
        &[u32::MAX, 7],
    );
}

/// WGSL has no constants that are infinite or NaN; a variable can have their bits.
#[test]
fn bits_of_constants_that_are_no_numbers() {
    for bits in [
        f32::INFINITY.to_bits(),
        f32::NAN.to_bits(),
        1.5f32.to_bits(),
    ] {
        let types = format!("%bits = OpConstant %u32 {bits}");
        let case = Case {
            text: "%x = OpBitcast $T %bits\n%r = OpExtInst $T %glsl NMax %x $0",
            operands: &["f32"],
            result: "f32",
            types: &types,
            ..Case::default()
        };
        let is_special = !f32::from_bits(bits).is_finite();
        if let Some(program) = crate::families::machine::translated(&case) {
            let mut variables = program.module().global_variables.iter();
            let has_bits = variables.any(|(_, it)| it.name.as_deref() == Some("bits"));
            assert_eq!(has_bits, is_special);
        }
        everywhere(&case, &[vec![0]], |device, results| {
            let expected = f32::from_bits(bits).max(0.0);
            assert_eq!(results[0], [expected.to_bits()], "{bits:x} on {device}");
        });
    }
}
