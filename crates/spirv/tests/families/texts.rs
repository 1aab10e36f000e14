//! Checks on the translated text, for properties that results do not show: which statements and functions it contains.

use anywarp_program::Program;
use anywarp_program::naga::back::wgsl::{WriterFlags, write_string};
use anywarp_spirv::{ErrorKind, ReadOptions, read};

use crate::families::assembly::{Case, assemble};
use crate::families::machine::{report_skip, translated};

fn text(program: &Program) -> String {
    write_string(program.module(), program.info(), WriterFlags::empty()).unwrap()
}

/// Checks that naga's WGSL of a case contains these pieces, in this order.
fn has(case: &Case<'_>, pieces: &[&str]) {
    let Some(program) = translated(case) else {
        return;
    };
    let text = text(&program);
    let mut rest = text.as_str();
    for piece in pieces {
        let Some(at) = rest.find(piece) else {
            panic!("no `{piece}` in\n{text}");
        };
        rest = &rest[at + piece.len()..];
    }
}

/// WGSL's `min` may return either operand if one is NaN, even though no device here returns NaN.
#[test]
fn what_is_no_number_is_told_by_its_bits() {
    let case = Case {
        text: "OpExtInst $T %glsl NMin $0 $1",
        operands: &["f32", "f32"],
        result: "f32",
        ..Case::default()
    };
    has(
        &case,
        &[
            "select(select(min(",
            "bitcast<u32>(",
            "& 2147483647u) > 2139095040u",
        ],
    );
}

#[test]
fn weak_exchanges_are_repeated() {
    let case = Case {
        text: "%p = OpAccessChain %word %in %c0 %first_in
            %r = OpAtomicCompareExchange $T %p %c1 %c0 %c0 $0 $1",
        operands: &["u32", "u32"],
        result: "u32",
        ..Case::default()
    };
    let pieces = [
        "loop {",
        "atomicCompareExchangeWeak",
        "exchanged || (",
        "break;",
    ];
    has(&case, &pieces);
}

/// One function per matrix type, however often it is inverted.
#[test]
fn inverses_are_functions() {
    let case = Case {
        text: "%m = OpCompositeConstruct %mat $0 $1
            %i = OpExtInst %mat %glsl MatrixInverse %m
            %j = OpExtInst %mat %glsl MatrixInverse %i
            %r = OpCompositeExtract $T %j 0",
        operands: &["v2f32", "v2f32"],
        result: "v2f32",
        types: "%mat = OpTypeMatrix %v2f32 2",
        ..Case::default()
    };
    if let Some(program) = translated(&case) {
        assert_eq!(text(&program).matches("fn inverse").count(), 1);
    }
}

/// A fragment shader around some instructions.
fn fragment(lines: &str) -> String {
    format!(
        "OpCapability Shader
        OpCapability GroupNonUniform
        OpCapability GroupNonUniformArithmetic
        OpCapability DemoteToHelperInvocation
        OpCapability ExpectAssumeKHR
        OpExtension \"SPV_KHR_expect_assume\"
        OpMemoryModel Logical GLSL450
        OpEntryPoint Fragment %main \"main\" %in %out
        OpExecutionMode %main OriginUpperLeft
        OpDecorate %in Location 0
        OpDecorate %in Flat
        OpDecorate %out Location 0
        %void = OpTypeVoid
        %function = OpTypeFunction %void
        %bool = OpTypeBool
        %u32 = OpTypeInt 32 0
        %f32 = OpTypeFloat 32
        %v4f32 = OpTypeVector %f32 4
        %in_pointer = OpTypePointer Input %u32
        %out_pointer = OpTypePointer Output %u32
        %in = OpVariable %in_pointer Input
        %out = OpVariable %out_pointer Output
        %c0 = OpConstant %u32 0
        %c1 = OpConstant %u32 1
        %c3 = OpConstant %u32 3
        %semantics = OpConstant %u32 72
        %main = OpFunction %void None %function
        %start = OpLabel
        %x = OpLoad %u32 %in
        %is_odd = OpIEqual %bool %x %c1
        {lines}
        OpStore %out %y
        OpReturn
        OpFunctionEnd"
    )
}

/// Execution continues after demotion, since derivatives need the helper invocation.
#[test]
fn demoted_fragments_go_on() {
    let Some(bytes) = assemble(&fragment(
        "OpAssumeTrueKHR %is_odd
        OpDemoteToHelperInvocation
        %y = OpIAdd %u32 %x %c1",
    )) else {
        report_skip("spirv-as is not installed");
        return;
    };
    let text = text(&read(&bytes, &ReadOptions::default()).unwrap().program);
    let discard = text.find("discard;").unwrap();
    assert!(text[discard..].contains("+ 1u"), "{text}");
}

/// The entry point of a fragment shader passes the lane index to the inner function.
#[test]
fn lanes_of_fragments() {
    let scan = "%y = OpGroupNonUniformUMax %u32 %c3 InclusiveScan %x";
    let Some(bytes) = assemble(&fragment(scan)) else {
        report_skip("spirv-as is not installed");
        return;
    };
    let text = text(&read(&bytes, &ReadOptions::default()).unwrap().program);
    assert!(text.contains("@builtin(subgroup_invocation_id)"), "{text}");
    assert!(text.contains("@builtin(subgroup_size)"), "{text}");
}

#[test]
fn what_fragments_cannot_do() {
    for (lines, message) in [
        (
            "%h = OpIsHelperInvocationEXT %bool\n%y = OpCopyObject %u32 %x",
            "helper",
        ),
        (
            "OpMemoryBarrier %c1 %semantics\n%y = OpCopyObject %u32 %x",
            "outside of compute",
        ),
    ] {
        let Some(bytes) = assemble(&fragment(lines)) else {
            report_skip("spirv-as is not installed");
            return;
        };
        let error = read(&bytes, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.to_string().contains(message), "{error}");
    }
}

/// All float functions of GLSL.std.450, for all widths that they support.
#[test]
fn widths_of_floats() {
    const ANY: &[&str] = &[
        "Round 1",
        "RoundEven 1",
        "Trunc 1",
        "FAbs 1",
        "FSign 1",
        "Floor 1",
        "Ceil 1",
        "Fract 1",
        "Sqrt 1",
        "InverseSqrt 1",
        "FMin 2",
        "FMax 2",
        "FClamp 3",
        "NMin 2",
        "NMax 2",
        "NClamp 3",
        "FMix 3",
        "Step 2",
        "SmoothStep 3",
        "Fma 3",
        "Normalize 1",
        "Reflect 2",
        "FaceForward 3",
    ];
    const NOT_WIDE: &[&str] = &[
        "Radians 1",
        "Degrees 1",
        "Sin 1",
        "Cos 1",
        "Tan 1",
        "Asin 1",
        "Acos 1",
        "Atan 1",
        "Sinh 1",
        "Cosh 1",
        "Tanh 1",
        "Asinh 1",
        "Acosh 1",
        "Atanh 1",
        "Atan2 2",
        "Pow 2",
        "Exp 1",
        "Log 1",
        "Exp2 1",
        "Log2 1",
    ];
    for (ty, functions) in [
        ("f16", [ANY, NOT_WIDE]),
        ("v2f16", [ANY, NOT_WIDE]),
        ("f32", [ANY, NOT_WIDE]),
        ("v4f32", [ANY, NOT_WIDE]),
        ("f64", [ANY, &[]]),
        ("v3f64", [ANY, &[]]),
    ] {
        // One module for all: each result is an operand of the next instruction.
        let mut lines = "%n0 = OpCopyObject $T $0\n".to_owned();
        let functions = functions.concat();
        for (at, function) in functions.iter().enumerate() {
            let (name, count) = function.split_once(' ').unwrap();
            let operands = [" %n"; 3].map(|it| format!("{it}{at}"));
            let operands = operands[..count.parse().unwrap()].concat();
            lines += &format!("%n{} = OpExtInst $T %glsl {name}{operands}\n", at + 1);
        }
        lines += &format!("%r = OpCopyObject $T %n{}", functions.len());
        let case = Case {
            text: &lines,
            operands: &[ty],
            result: ty,
            ..Case::default()
        };
        let _ = translated(&case);
        let (_, scalar) = crate::families::assembly::shape(ty);
        let types = format!("%half = OpConstant %{scalar} 0.5");
        let lines = format!(
            "%l = OpExtInst %{scalar} %glsl Length $0
            %d = OpExtInst %{scalar} %glsl Distance $0 $0
            %e = OpFAdd %{scalar} %l %d
            %x = OpExtInst $T %glsl Refract $0 $0 %half
            %y = OpExtInst $T %glsl Refract $0 $0 %e
            %r = OpFAdd $T %x %y"
        );
        let case = Case {
            text: &lines,
            types: &types,
            ..case
        };
        let _ = translated(&case);
    }
}
