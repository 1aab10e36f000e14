//! 16-bit and 64-bit types, which only some devices support.

use wgpu::Features;

use crate::families::assembly::Case;
use crate::families::machine::gpu;

const DOUBLES: Features = Features::SHADER_F64.union(Features::SHADER_INT64);

fn run(needed: Features, text: &str, operands: &[&str], result: &str, cases: &[(&[u32], &[u32])]) {
    let case = Case {
        text,
        operands,
        result,
        ..Case::default()
    };
    check(needed, &case, cases);
}

fn check(needed: Features, case: &Case<'_>, cases: &[(&[u32], &[u32])]) {
    let Some(gpu) = gpu(needed, case.text) else {
        return;
    };
    let inputs: Vec<_> = cases.iter().map(|(input, _)| input.to_vec()).collect();
    let Some(results) = gpu.run(case, &inputs) else {
        return;
    };
    for ((input, expected), is) in cases.iter().zip(results) {
        assert_eq!(
            is, *expected,
            "{} {:?} {input:x?}",
            case.text, case.operands
        );
    }
}

fn halves(value: f64) -> [u32; 2] {
    let bits = value.to_bits();
    [bits as u32, (bits >> 32) as u32]
}

fn parts(value: i64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

#[test]
fn bits_of_64() {
    let cast = |from, to, input: &[u32], expected: &[u32]| {
        run(
            DOUBLES,
            "OpBitcast $T $0",
            &[from],
            to,
            &[(input, expected)],
        );
    };
    cast("v2u32", "u64", &[1, 0x8000_0002], &[1, 0x8000_0002]);
    cast("v2i32", "f64", &halves(1.5), &halves(1.5));
    cast("f64", "v2f32", &halves(-2.25), &halves(-2.25));
    cast("v4u32", "v2i64", &[1, 2, 3, 4], &[1, 2, 3, 4]);
    cast(
        "u64",
        "v4u16",
        &[0x2222_1111, 0xffff_3333],
        &[0x1111, 0x2222, 0x3333, 0xffff],
    );
    cast(
        "v4i16",
        "i64",
        &[0xffff_ffff, 2, 3, 0xffff_8000],
        &[0x2_ffff, 0x8000_0003],
    );
    cast("i64", "f64", &halves(7.0), &halves(7.0));
}

#[test]
fn doubles_in_two_words() {
    let pack = "OpExtInst $T %glsl PackDouble2x32 $0";
    run(
        DOUBLES,
        pack,
        &["v2u32"],
        "f64",
        &[(&halves(0.1), &halves(0.1))],
    );
    let unpack = "OpExtInst $T %glsl UnpackDouble2x32 $0";
    run(
        DOUBLES,
        unpack,
        &["f64"],
        "v2u32",
        &[(&halves(-0.1), &halves(-0.1))],
    );
}

#[test]
fn integers_of_64() {
    let min = |name: &str, result: i64| {
        let input = [parts(-1), parts(5)].concat();
        let text = format!("OpExtInst $T %glsl {name} $0 $1");
        run(
            DOUBLES,
            &text,
            &["u64", "i64"],
            "i64",
            &[(&input, &parts(result))],
        );
    };
    min("SMin", -1);
    min("UMin", 5);
    min("SMax", 5);
    min("UMax", -1);
    let convert = |text, from, to, input: &[u32], expected: &[u32]| {
        run(DOUBLES, text, &[from], to, &[(input, expected)]);
    };
    convert(
        "OpUConvert $T $0",
        "i32",
        "u64",
        &[u32::MAX],
        &[u32::MAX, 0],
    );
    convert(
        "OpSConvert $T $0",
        "u32",
        "i64",
        &[u32::MAX],
        &[u32::MAX, u32::MAX],
    );
    convert("OpSConvert $T $0", "u8", "u64", &[0x80], &parts(-128));
    convert("OpUConvert $T $0", "i64", "u32", &[7, 9], &[7]);
    convert(
        "OpConvertSToF $T $0",
        "u64",
        "f64",
        &parts(-3),
        &halves(-3.0),
    );
    convert(
        "OpConvertFToS $T $0",
        "f64",
        "i64",
        &halves(-3.7),
        &parts(-3),
    );
    convert(
        "OpConvertUToF $T $0",
        "i32",
        "f64",
        &[u32::MAX],
        &halves(4294967295.0),
    );
    convert(
        "OpFConvert $T $0",
        "f32",
        "f64",
        &[0.5f32.to_bits()],
        &halves(0.5),
    );
}

#[test]
fn parts_of_doubles() {
    let types = "%both = OpTypeStruct %f64 %i32
        %modf = OpTypeStruct %f64 %f64";
    let frexp = Case {
        text: "%s = OpExtInst %both %glsl FrexpStruct $0
            %e = OpCompositeExtract %i32 %s 1
            %d = OpConvertSToF %f64 %e
            %m = OpCompositeExtract %f64 %s 0
            %r = OpCompositeConstruct $T %m %d",
        operands: &["f64"],
        result: "v2f64",
        types,
        ..Case::default()
    };
    let tiny = f64::from_bits(1);
    for (value, significand, exponent) in [
        (1.0, 0.5, 1.0),
        (-3.0, -0.75, 2.0),
        (0.0, 0.0, 0.0),
        (1e300, 1e300 / 2f64.powi(997), 997.0),
        (0.3, 0.6, -1.0),
        (tiny, 0.5, -1073.0),
    ] {
        let expected = [halves(significand), halves(exponent)].concat();
        check(DOUBLES, &frexp, &[(&halves(value), &expected)]);
    }
    let modf = Case {
        text: "%s = OpExtInst %modf %glsl ModfStruct $0
            %a = OpCompositeExtract %f64 %s 0
            %b = OpCompositeExtract %f64 %s 1
            %r = OpCompositeConstruct $T %a %b",
        ..frexp
    };
    for (value, rest, whole) in [(2.75, 0.75, 2.0), (-2.75, -0.75, -2.0), (1e300, 0.0, 1e300)] {
        let expected = [halves(rest), halves(whole)].concat();
        check(DOUBLES, &modf, &[(&halves(value), &expected)]);
    }
}

#[test]
fn numbers_against_what_is_none() {
    let min = "OpExtInst $T %glsl NMin $0 $1";
    let pairs = [
        (1.0, f64::NAN, 1.0),
        (f64::NAN, 2.0, 2.0),
        (3.0, -1.0, -1.0),
    ];
    for (a, b, expected) in pairs {
        let input = [halves(a), halves(b)].concat();
        run(
            DOUBLES,
            min,
            &["f64", "f64"],
            "f64",
            &[(&input, &halves(expected))],
        );
        let input = [a as f32, b as f32].map(f32::to_bits);
        let expected = [(expected as f32).to_bits()];
        run(
            Features::SHADER_F16,
            min,
            &["f16", "f16"],
            "f16",
            &[(&input, &expected)],
        );
    }
}

#[test]
fn halves_and_their_bits() {
    let cast = |from, to, input: &[u32], expected: &[u32]| {
        run(
            Features::SHADER_F16,
            "OpBitcast $T $0",
            &[from],
            to,
            &[(input, expected)],
        );
    };
    let (one, minus_two) = (1.0f32.to_bits(), (-2.0f32).to_bits());
    cast("v2f16", "u32", &[one, minus_two], &[0xc000_3c00]);
    cast("i32", "v2f16", &[0xc000_3c00], &[one, minus_two]);
    cast("f16", "u16", &[minus_two], &[0xc000]);
    cast("i16", "f16", &[0xffff_c000], &[minus_two]);
    cast(
        "v4f16",
        "v2u32",
        &[one, one, minus_two, one],
        &[0x3c00_3c00, 0x3c00_c000],
    );
    cast(
        "v2u32",
        "v4f16",
        &[0x3c00_3c00, 0x3c00_c000],
        &[one, one, minus_two, one],
    );
    cast(
        "v3f16",
        "v3i16",
        &[one, one, minus_two],
        &[0x3c00, 0x3c00, 0xffff_c000],
    );
    let frexp = Case {
        text: "%s = OpExtInst %both %glsl FrexpStruct $0
            %e = OpCompositeExtract %i32 %s 1
            %d = OpConvertSToF %f16 %e
            %m = OpCompositeExtract %f16 %s 0
            %r = OpCompositeConstruct $T %m %d",
        operands: &["f16"],
        result: "v2f16",
        types: "%both = OpTypeStruct %f16 %i32",
        ..Case::default()
    };
    let expected = [0.625f32, 3.0].map(f32::to_bits);
    check(
        Features::SHADER_F16,
        &frexp,
        &[(&[5.0f32.to_bits()], &expected)],
    );
}

#[test]
fn wide_dots() {
    let input = [0x7fff_ffff, 0x7fff_ffff, 4, u32::MAX];
    let expected = 0x7fff_ffffi64 * 4 - 0x7fff_ffff;
    run(
        DOUBLES,
        "OpSDot $T $0 $1",
        &["v2i32", "v2i32"],
        "i64",
        &[(&input, &parts(expected))],
    );
    let case = Case {
        text: "OpSDotAccSat $T $0 $1 $2",
        operands: &["v2i8", "v2i8", "i64"],
        result: "i64",
        ..Case::default()
    };
    let input = [&[2, 3, 4, 5][..], &parts(i64::MAX - 3)].concat();
    check(DOUBLES, &case, &[(&input, &parts(i64::MAX))]);
}

/// A `f64` matrix times its inverse is the identity.
#[test]
fn inverses_of_doubles() {
    let case = Case {
        text: "%m = OpCompositeConstruct %mat $0 $1
            %i = OpExtInst %mat %glsl MatrixInverse %m
            %r = OpMatrixTimesVector $T %i $0",
        operands: &["v2f64", "v2f64"],
        result: "v2f64",
        types: "%mat = OpTypeMatrix %v2f64 2",
        ..Case::default()
    };
    let input = [halves(2.0), halves(1.0), halves(0.0), halves(4.0)].concat();
    check(
        DOUBLES,
        &case,
        &[(&input, &[halves(1.0), halves(0.0)].concat())],
    );
}

#[test]
fn atomics_of_64() {
    let case = Case {
        text: "OpStore %shared $0
            %old = OpAtomicSMin %u64 %shared %c1 %c0 $1
            %new = OpAtomicLoad %u64 %shared %c1 %c0
            %r = OpCompositeConstruct $T %old %new",
        operands: &["u64", "u64"],
        result: "v2u64",
        types: "%shared_pointer = OpTypePointer Workgroup %u64
            %shared = OpVariable %shared_pointer Workgroup",
        ..Case::default()
    };
    let needed = Features::SHADER_INT64_ATOMIC_ALL_OPS;
    let input = [parts(7), parts(-1)].concat();
    check(needed, &case, &[(&input, &[parts(7), parts(-1)].concat())]);
}

#[test]
fn beyond_64_bits() {
    let both = |op: &str| {
        format!(
            "%s = Op{op} %pair $0 $1
            %low = OpCompositeExtract %u64 %s 0
            %high = OpCompositeExtract %u64 %s 1
            %r = OpCompositeConstruct $T %low %high"
        )
    };
    let run = |op, left: i64, right: i64, low: i64, high: i64| {
        let text = both(op);
        let case = Case {
            text: &text,
            operands: &["u64", "u64"],
            result: "v2u64",
            types: "%pair = OpTypeStruct %u64 %u64",
            ..Case::default()
        };
        let input = [parts(left), parts(right)].concat();
        let expected = [parts(low), parts(high)].concat();
        check(DOUBLES, &case, &[(&input, &expected)]);
    };
    run("IAddCarry", -1, 3, 2, 1);
    run("ISubBorrow", 2, 3, -1, 1);
    run("UMulExtended", -1, -1, 1, -2);
    run("SMulExtended", -1, 3, -3, -1);
    let (left, right) = (0x1234_5678_9abc_def0_u64, 0xfedc_ba98_7654_3210_u64);
    let product = u128::from(left) * u128::from(right);
    run(
        "UMulExtended",
        left.cast_signed(),
        right.cast_signed(),
        product as i64,
        (product >> 64) as i64,
    );
}

#[test]
fn switches_over_64_bits() {
    let case = Case {
        text: "OpSelectionMerge %end None
            OpSwitch $0 %other 5 %five 4294967301 %far -1 %minus
            %five = OpLabel
            OpBranch %end
            %far = OpLabel
            OpBranch %end
            %minus = OpLabel
            OpBranch %end
            %other = OpLabel
            OpBranch %end
            %end = OpLabel
            %r = OpPhi %u32 %c1 %five %c2 %far %c3 %minus %c4 %other",
        operands: &["i64"],
        result: "u32",
        ..Case::default()
    };
    let results = [(5, 1), (5 + (1 << 32), 2), (-1, 3), (0, 4), (1 << 32, 4)];
    for (selector, expected) in results {
        check(DOUBLES, &case, &[(&parts(selector), &[expected])]);
    }
}
