//! Constants that WGSL rejects but SPIR-V allows, results that overflow, and long chains of constants.

use std::fmt::Write;
use std::time::{Duration, Instant};

use anywarp_spirv::{ReadOptions, read};
use anywarp_wgsl_writer::{Dialect, WgslOptions, write_wgsl};

use crate::families::assembly::{Case, assemble};
use crate::families::machine::{everywhere, report_skip, translated};

fn check(text: &str, operands: &[&str], result: &str, types: &str, cases: &[(&[u32], &[u32])]) {
    let case = Case {
        text,
        operands,
        result,
        types,
        ..Case::default()
    };
    let inputs: Vec<Vec<u32>> = cases.iter().map(|(input, _)| input.to_vec()).collect();
    everywhere(&case, &inputs, |device, results| {
        for ((input, expected), is) in cases.iter().zip(results) {
            assert_eq!(is, expected, "{input:x?} on {device}\n{text}");
        }
    });
}

/// Constant expressions with undefined results are accepted, and the WGSL written for them can be parsed.
#[test]
fn what_wgsl_refuses_of_constants() {
    let types = "%zero2 = OpConstantComposite %v2u32 %c4 %c0
        %signed = OpConstant %i32 0
        %large = OpConstant %i32 1000
        %minus = OpConstant %i32 -1
        %low = OpConstant %f32 2
        %high = OpConstant %f32 1";
    let vector = "%v = OpCompositeConstruct %v2u32 $0 $0";
    for text in [
        "OpUDiv $T $0 %c0",
        "OpUMod $T %c7 %c0",
        "OpSDiv $T $0 %signed",
        "OpSRem $T $0 %signed",
        "OpSMod $T $0 %signed",
        "OpShiftLeftLogical $T $0 %c32",
        "OpShiftRightArithmetic $T %c9 %c40",
        "OpBitFieldUExtract $T $0 %c30 %c10",
        "OpBitFieldInsert $T $0 $0 %c40 %c1",
        "OpExtInst $T %glsl UClamp $0 %c5 %c2",
        "%f = OpBitcast %f32 $0\n%c = OpExtInst %f32 %glsl FClamp %f %low %high\n%r = OpBitcast $T %c",
        "%f = OpBitcast %f32 $0\n%c = OpExtInst %f32 %glsl Ldexp %f %large\n%r = OpBitcast $T %c",
    ] {
        is_written(&case(text, types));
    }
    for end in [
        "%q = OpUDiv %v2u32 %v %zero2\n%r = OpCompositeExtract $T %q 0",
        "%q = OpShiftLeftLogical %v2u32 %v %v\n%r = OpVectorExtractDynamic $T %q %c7",
        "%r = OpVectorExtractDynamic $T %v %minus",
        "%q = OpVectorInsertDynamic %v2u32 %v %c1 %c9\n%r = OpCompositeExtract $T %q 0",
    ] {
        is_written(&case(&format!("{vector}\n{end}"), types));
    }
    is_written(&case(
        "%p = OpAccessChain %word %in %c0 %minus\n%r = OpLoad $T %p",
        types,
    ));
}

fn case<'a>(text: &'a str, types: &'a str) -> Case<'a> {
    Case {
        text,
        operands: &["u32"],
        result: "u32",
        types,
        ..Case::default()
    }
}

fn is_written(case: &Case<'_>) {
    let Some(program) = translated(case) else {
        return;
    };
    for dialect in [Dialect::Naga, Dialect::WebGpu] {
        let text = write_wgsl(&program, &WgslOptions::new(dialect)).unwrap();
        anywarp_program::Program::from_wgsl(&text)
            .unwrap_or_else(|error| panic!("{}: {error}\n{text}", case.text));
    }
}

#[test]
fn beyond_narrow_integers() {
    let pair = "%pair = OpTypeStruct %u16 %u16";
    let both = |op: &str| {
        format!(
            "%s = Op{op} %pair $0 $1
            %low = OpCompositeExtract %u16 %s 0
            %high = OpCompositeExtract %u16 %s 1
            %r = OpCompositeConstruct $T %low %high"
        )
    };
    let run = |op, input: &[u32], expected: &[u32]| {
        check(
            &both(op),
            &["u16", "u16"],
            "v2u16",
            pair,
            &[(input, expected)],
        );
    };
    run("IAddCarry", &[0xffff, 3], &[2, 1]);
    run("IAddCarry", &[5, 3], &[8, 0]);
    run("ISubBorrow", &[2, 3], &[0xffff, 1]);
    run("UMulExtended", &[0xffff, 0xffff], &[1, 0xfffe]);
    run("SMulExtended", &[0xffff, 3], &[0xfffd, 0xffff]);
}

#[test]
fn products_that_are_no_squares() {
    check(
        "%m = OpOuterProduct %mat $0 $1
        %r = OpCompositeExtract $T %m 2",
        &["v2f32", "v3f32"],
        "v2f32",
        "%mat = OpTypeMatrix %v2f32 3",
        &[(
            &[2.0, 3.0, 5.0, 7.0, 11.0].map(f32::to_bits),
            &[22.0, 33.0].map(f32::to_bits),
        )],
    );
}

#[test]
fn what_is_not_equal_may_be_no_number() {
    let nan = f32::NAN.to_bits();
    let one = 1f32.to_bits();
    check(
        "OpFUnordNotEqual $T $0 $1",
        &["f32", "f32"],
        "bool",
        "",
        &[
            (&[nan, nan], &[1]),
            (&[one, one], &[0]),
            (&[one, nan], &[1]),
        ],
    );
}

/// Chains of constant expressions: each is translated once, however often it is used.
#[test]
fn long_chains_of_constants() {
    let mut doubled = String::from("%s0 = OpSpecConstant %u32 1\n");
    let mut long = doubled.clone();
    for number in 1..=200 {
        let before = number - 1;
        let _ = writeln!(
            doubled,
            "%s{number} = OpSpecConstantOp %u32 IAdd %s{before} %s{before}"
        );
    }
    for number in 1..=20_000 {
        let before = number - 1;
        let _ = writeln!(
            long,
            "%s{number} = OpSpecConstantOp %u32 IAdd %s{before} %c1"
        );
    }
    for (types, last) in [(&doubled, 200), (&long, 20_000)] {
        let text = format!("OpIAdd $T $0 %s{last}");
        let case = Case {
            text: &text,
            operands: &["u32"],
            result: "u32",
            types,
            decorations: "OpDecorate %s0 SpecId 0",
            ..Case::default()
        };
        let begin = Instant::now();
        let Some(program) = translated(&case) else {
            return;
        };
        let text = write_wgsl(&program, &WgslOptions::new(Dialect::WebGpu)).unwrap();
        assert!(text.len() < 2_000_000, "{} bytes", text.len());
        assert!(
            begin.elapsed() < Duration::from_secs(20),
            "{last} take long"
        );
    }
}

/// Nested arrays of an empty struct, with 1000^8 elements in total, are rejected without visiting the elements.
#[test]
fn empty_inputs_end() {
    let mut types = String::from("%a0 = OpTypeStruct\n");
    for number in 1..=8 {
        let before = number - 1;
        let _ = writeln!(types, "%a{number} = OpTypeArray %a{before} %thousand");
    }
    let text = format!(
        "OpCapability Shader
        OpMemoryModel Logical GLSL450
        OpEntryPoint Fragment %main \"main\" %in
        OpExecutionMode %main OriginUpperLeft
        OpDecorate %in Location 0
        %void = OpTypeVoid
        %function = OpTypeFunction %void
        %u32 = OpTypeInt 32 0
        %thousand = OpConstant %u32 1000
        {types}
        %pointer = OpTypePointer Input %a8
        %in = OpVariable %pointer Input
        %main = OpFunction %void None %function
        %start = OpLabel
        OpReturn
        OpFunctionEnd"
    );
    let Some(bytes) = assemble(&text) else {
        return report_skip("spirv-as is not installed");
    };
    let begin = Instant::now();
    read(&bytes, &ReadOptions::default()).unwrap_err();
    assert!(begin.elapsed() < Duration::from_secs(5));
}
