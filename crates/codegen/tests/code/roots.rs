//! The CPU's reciprocal-square-root estimate (`vrsqrtps`, `vrsqrt14ps`) and its refinement, against an `f64` reference.

use anywarp_codegen::compile;
use anywarp_lanes::build::Builder;
use anywarp_lanes::evaluate::{Memory, WorkgroupInputs};
use anywarp_lanes::ir::{
    CallOutcome, ContextField, Function, LaneUnary, Op, Row, Space, Value, WordBinary,
};
use anywarp_lanes::math;

use crate::run::{run_code, targets};

/// The number of words of one run.
const WORDS: u32 = 1 << 16;

/// A function from one buffer to a second, with a call for each subgroup of a workgroup.
fn kernel(lanes: u32, build: impl Fn(&mut Builder, Value) -> Value) -> Function {
    let mut b = Builder::new(Function::new(lanes));
    let subgroup = b.field(ContextField::Subgroup);
    let count = b.word(lanes);
    let index = b.word_binary(WordBinary::Mul, subgroup, count);
    let row = Row {
        offset: 0,
        is_limited: false,
        is_masked: false,
    };
    let base = b.base(Space::Buffer(0));
    let x = b.inst(Op::LoadRow(row), &[base, index]);
    let result = build(&mut b, x);
    let base = b.base(Space::Buffer(1));
    b.effect(Op::StoreRow(row), &[base, index, result]);
    b.leave(CallOutcome::FINISHED);
    b.finish()
}

/// Bit patterns from the whole range, and edge cases.
fn samples() -> Vec<u32> {
    let step = u32::MAX / (WORDS - 4096);
    let mut all: Vec<u32> = (0..WORDS - 4096)
        .map(|number| number.wrapping_mul(step))
        .collect();
    let edges = [0u32, 0x0080_0000, 0x3f80_0000, 0x4080_0000, 0x7f80_0000];
    for edge in edges {
        all.extend((edge..edge + 400).map(|bits| bits | 0x8000_0000));
        let before = edge.saturating_sub(200);
        all.extend(before..before + 400);
    }
    all.resize(WORDS as usize, 0x8000_0000);
    all
}

/// Calls `check` with each number and its result on each target.
fn check(build: impl Fn(&mut Builder, Value) -> Value, check: impl Fn(u32, f32, f32)) {
    let samples = samples();
    for target in targets() {
        let function = kernel(target.lanes(), &build);
        let code = compile(&function, target).unwrap();
        let mut memory = Memory {
            buffers: vec![samples.clone(), vec![0; samples.len()]],
            ..Memory::default()
        };
        let calls = WORDS / target.lanes();
        let outcome = run_code(&code, &[], &WorkgroupInputs::default(), &mut memory, calls);
        assert_eq!(outcome, CallOutcome::FINISHED);
        for (x, result) in samples.iter().zip(&memory.buffers[1]) {
            check(target.lanes(), f32::from_bits(*x), f32::from_bits(*result));
        }
    }
}

#[test]
fn estimates_are_near() {
    let build = |b: &mut Builder, x: Value| b.unary(LaneUnary::InverseSqrtEstimate, x);
    check(build, |lanes, x, result| {
        let exact = 1.0 / f64::from(x).sqrt();
        let is_right = match lanes {
            8 if x.is_subnormal() && result.is_infinite() => true,
            _ if exact.is_nan() => result.is_nan(),
            _ if exact == 0.0 || exact.is_infinite() => f64::from(result) == exact,
            8 => near(result, exact, 11),
            _ => near(result, exact, 13),
        };
        assert!(is_right, "{lanes} lanes: {x:e} gives {result:e}");
    });
}

fn near(result: f32, exact: f64, bits: i32) -> bool {
    (f64::from(result) / exact - 1.0).abs() < 2f64.powi(-bits)
}

#[test]
fn inverse_roots_are_right() {
    let build = |b: &mut Builder, x: Value| math::inverse_sqrt(b, x, None);
    check(build, |lanes, x, result| {
        let exact = 1.0 / f64::from(x).sqrt();
        let is_right = match exact {
            _ if exact.is_nan() => result.is_nan(),
            _ if exact == 0.0 || exact.is_infinite() => f64::from(result) == exact,
            _ => {
                let unit = 2f64.powf(exact.log2().floor() - 23.0);
                (f64::from(result) - exact).abs() <= 1.5 * unit
            }
        };
        assert!(is_right, "{lanes} lanes: {x:e} gives {result:e}");
    });
}
