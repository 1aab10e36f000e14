//! Functions of floats against a reference of twice the precision, over the whole range of `f32`.
//!
//! Each prints the largest error that it found, in units in the last place, and where.
#![allow(
    clippy::print_stdout,
    reason = "the measured errors are what these tests are read for"
)]

use anywarp_lanes::build::Builder;
use anywarp_lanes::evaluate::{Evaluator, Memory, WorkgroupInputs};
use anywarp_lanes::ir::{CallOutcome, ContextField, Function, Op, Row, Space, Value, WordBinary};
use anywarp_lanes::math;
use anywarp_lanes::verify::verify;

/// Results of a function of one or two arguments.
fn apply(
    lanes: u32,
    build: impl Fn(&mut Builder, Value, Value) -> Value,
    pairs: &[(f32, f32)],
) -> Vec<f32> {
    let mut b = Builder::new(Function::new(lanes));
    let group = b.field(ContextField::WorkgroupId(0));
    let count = b.word(lanes);
    let index = b.word_binary(WordBinary::Mul, group, count);
    let row = Row {
        offset: 0,
        is_limited: true,
        is_masked: false,
    };
    let limit = b.length(0);
    let mut load = |buffer| {
        let base = b.base(Space::Buffer(buffer));
        b.inst(Op::LoadRow(row), &[base, index, limit])
    };
    let (x, y) = (load(0), load(1));
    let result = build(&mut b, x, y);
    let base = b.base(Space::Buffer(2));
    b.effect(Op::StoreRow(row), &[base, index, result, limit]);
    b.leave(CallOutcome::FINISHED);
    let function = b.finish();
    verify(&function).unwrap_or_else(|error| panic!("{error}\n{function}"));

    let mut memory = Memory {
        buffers: vec![
            pairs.iter().map(|pair| pair.0.to_bits()).collect(),
            pairs.iter().map(|pair| pair.1.to_bits()).collect(),
            vec![0; pairs.len()],
        ],
        ..Memory::default()
    };
    let evaluator = Evaluator::new(&function).unwrap();
    for group in 0..pairs.len().div_ceil(lanes as usize) as u32 {
        let run = WorkgroupInputs {
            workgroup_id: [group, 0, 0],
            ..WorkgroupInputs::default()
        };
        let outcome = evaluator.run_workgroup(&run, 1, &mut memory, &mut 10_000);
        assert_eq!(outcome, Ok(CallOutcome::FINISHED));
    }
    memory.buffers[2]
        .iter()
        .map(|word| f32::from_bits(*word))
        .collect()
}

/// The error of a result, in units in the last place of the exact result.
fn error(result: f32, exact: f64) -> f64 {
    let rounded = exact as f32;
    if rounded.is_nan() || result.is_nan() {
        return if rounded.is_nan() == result.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if result == rounded {
        return 0.0;
    }
    // Infinity counts as the number after the largest.
    let size = |number: f32| {
        if number.is_infinite() {
            2f64.powi(128).copysign(number.into())
        } else {
            number.into()
        }
    };
    let exact = if exact.is_infinite() {
        size(rounded)
    } else {
        exact
    };
    let exponent = (exact.abs().max(f64::from(f32::MIN_POSITIVE)))
        .log2()
        .floor();
    let unit = 2f64.powf(exponent.min(127.0) - 23.0);
    (size(result) - exact).abs() / unit
}

/// Numbers from all over the range, and more of them where functions are used.
fn samples() -> Vec<f32> {
    let mut all: Vec<f32> = (0..=u32::MAX).step_by(65_003).map(f32::from_bits).collect();
    all.extend(special());
    for (low, high) in [
        (-4.0, 4.0),
        (-1.0, 1.0),
        (-90.0, 90.0),
        (-1000.0, 1000.0),
        (0.0, 3.0),
    ] {
        let steps = 20_000;
        all.extend((0..steps).map(|step| low + (high - low) * (step as f32 + 0.37) / steps as f32));
    }
    for near in [
        0.5,
        1.0,
        2.0 / 3.0,
        4.0 / 3.0,
        2.0,
        std::f32::consts::FRAC_PI_2,
        std::f32::consts::PI,
    ] {
        let bits = f32::to_bits(near);
        all.extend((bits - 300..bits + 300).map(f32::from_bits));
        all.extend((bits - 300..bits + 300).map(|bits| -f32::from_bits(bits)));
    }
    all
}

fn special() -> [f32; 14] {
    let tiny = f32::from_bits(1);
    [
        0.0,
        -0.0,
        1.0,
        -1.0,
        2.0,
        -2.0,
        tiny,
        -tiny,
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::MIN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ]
}

/// The largest error over pairs for which `counts`, which must stay below a bound.
fn check_pairs(
    name: &str,
    bound: f64,
    build: impl Fn(&mut Builder, Value, Value) -> Value,
    exact: impl Fn(f64, f64) -> f64,
    pairs: &[(f32, f32)],
) {
    let results = apply(16, build, pairs);
    let mut worst = (0.0, (0.0, 0.0), 0.0);
    for (&(x, y), result) in pairs.iter().zip(results) {
        let found = error(result, exact(x.into(), y.into()));
        if found > worst.0 {
            worst = (found, (x, y), result);
        }
    }
    let (largest, (x, y), result) = worst;
    println!("{name:>12}: {largest:.3} at ({x:e}, {y:e}), which gives {result:e}");
    assert!(
        largest <= bound,
        "{name}({x:e}, {y:e}) = {result:e}, wrong by {largest} units"
    );
}

fn check(
    name: &str,
    bound: f64,
    build: impl Fn(&mut Builder, Value) -> Value,
    exact: impl Fn(f64) -> f64,
) {
    let pairs: Vec<_> = samples().into_iter().map(|sample| (sample, 0.0)).collect();
    check_pairs(name, bound, |b, x, _| build(b, x), |x, _| exact(x), &pairs);
}

#[test]
fn trigonometric_functions() {
    let near: Vec<_> = (0..400_000)
        .map(|step| (step as f32 * 0.3276 - 65_500.0, 0.0))
        .collect();
    let sin = |b: &mut Builder, x, _| math::sin(b, x, None);
    check_pairs("sin, near", 2.5, sin, |x, _| libm::sin(x), &near);
    let cos = |b: &mut Builder, x, _| math::cos(b, x, None);
    check_pairs("cos, near", 2.5, cos, |x, _| libm::cos(x), &near);
    let tan = |b: &mut Builder, x, _| math::tan(b, x, None);
    check_pairs("tan, near", 3.0, tan, |x, _| libm::tan(x), &near);
}

/// The absolute error of sine and cosine, whatever the angle is; that of the tangent by those of the two.
#[test]
fn large_angles() {
    let numbers: Vec<_> = samples().into_iter().map(|sample| (sample, 0.0)).collect();
    let sines = apply(16, |b, x, _| math::sin(b, x, None), &numbers);
    let cosines = apply(8, |b, x, _| math::cos(b, x, None), &numbers);
    let tangents = apply(8, |b, x, _| math::tan(b, x, None), &numbers);
    let mut worst = [0f64; 3];
    for (index, (x, _)) in numbers.iter().enumerate() {
        let x = f64::from(*x);
        let results = [sines[index], cosines[index], tangents[index]];
        if x.is_nan() || x.is_infinite() {
            assert!(
                results.iter().all(|result| result.is_nan()),
                "{results:?} for {x}"
            );
            continue;
        }
        let cosine = libm::cos(x);
        let errors = [
            f64::from(results[0]) - libm::sin(x),
            f64::from(results[1]) - cosine,
            // The derivative of the tangent is 1 / cos^2.
            (f64::from(results[2]) - libm::tan(x)) * cosine * cosine,
        ];
        for (worst, error) in worst.iter_mut().zip(errors) {
            *worst = worst.max(error.abs());
        }
    }
    println!(
        "absolute: sin {:e}, cos {:e}, tan {:e}",
        worst[0], worst[1], worst[2]
    );
    assert!(
        worst.iter().all(|error| *error < 2f64.powi(-20)),
        "{worst:?}"
    );
}

#[test]
fn sine_and_cosine_stay_within_one() {
    let numbers: Vec<_> = samples().into_iter().map(|sample| (sample, 0.0)).collect();
    let results = [
        apply(16, |b, x, _| math::sin(b, x, None), &numbers),
        apply(16, |b, x, _| math::cos(b, x, None), &numbers),
    ];
    for ((x, _), result) in numbers.iter().cycle().zip(results.concat()) {
        assert!(result.is_nan() || result.abs() <= 1.0, "{result} for {x}");
    }
}

#[test]
fn inverse_trigonometric_functions() {
    check("asin", 2.5, math::asin, libm::asin);
    check("acos", 2.0, math::acos, libm::acos);
    check("atan", 2.0, math::atan, libm::atan);
}

#[test]
fn exponentials_and_logarithms() {
    check("exp", 1.0, math::exp, libm::exp);
    check("exp2", 1.5, math::exp2, libm::exp2);
    check("log", 1.5, math::log, libm::log);
    check("log2", 2.0, math::log2, libm::log2);
    check(
        "inverseSqrt",
        1.5,
        |b, x| math::inverse_sqrt(b, x, None),
        |x| 1.0 / x.sqrt(),
    );
}

#[test]
fn hyperbolic_functions() {
    check("sinh", 2.0, math::sinh, libm::sinh);
    check("cosh", 2.0, math::cosh, libm::cosh);
    check("tanh", 2.0, math::tanh, libm::tanh);
    check("asinh", 3.0, math::asinh, libm::asinh);
    // The reference gives a number below -1.
    let acosh = |x: f64| if x < 1.0 { f64::NAN } else { libm::acosh(x) };
    check("acosh", 3.0, math::acosh, acosh);
    check("atanh", 3.0, math::atanh, libm::atanh);
}

/// Pairs of special numbers, of numbers from everywhere, and of ordinary ones.
fn pairs() -> Vec<(f32, f32)> {
    let mut state = 7u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 32) as u32
    };
    let mut all: Vec<_> = special()
        .iter()
        .flat_map(|x| special().map(|y| (*x, y)))
        .collect();
    all.extend((0..40_000).map(|_| (f32::from_bits(random()), f32::from_bits(random()))));
    let mut between =
        move |low: f32, high: f32| low + (high - low) * (random() as f32 / u32::MAX as f32);
    for (x, y) in [(2.0, 3.0), (10.0, 30.0), (1.5, 200.0), (1000.0, 5.0)] {
        all.extend((0..20_000).map(|_| (between(0.0, x), between(-y, y))));
    }
    all
}

#[test]
fn functions_of_two_arguments() {
    let pow = |x: f64, y: f64| match x {
        _ if x < 0.0 => f64::NAN,
        // WGSL has no negative zero as a base.
        _ if x == 0.0 => libm::pow(0.0, y),
        _ => libm::pow(x, y),
    };
    check_pairs("pow", 5.0, math::pow, pow, &pairs());
    check_pairs("atan2", 3.0, math::atan2, libm::atan2, &pairs());
}

/// The sign of zero is that of the argument, and of infinity where that is the limit.
#[test]
fn odd_functions_keep_the_sign_of_zero() {
    type Build = fn(&mut Builder, Value) -> Value;
    let odd: [(&str, Build); 10] = [
        ("sin", |b, x| math::sin(b, x, None)),
        ("tan", |b, x| math::tan(b, x, None)),
        ("asin", math::asin),
        ("atan", math::atan),
        ("sinh", math::sinh),
        ("tanh", math::tanh),
        ("asinh", math::asinh),
        ("atanh", math::atanh),
        ("atan2", |b, x| {
            let one = b.splat_f(1.0);
            math::atan2(b, x, one)
        }),
        ("inverseSqrt", |b, x| math::inverse_sqrt(b, x, None)),
    ];
    for (name, build) in odd {
        let results = apply(8, |b, x, _| build(b, x), &[(-0.0, 0.0), (0.0, 0.0)]);
        assert!(results[0].is_sign_negative(), "{name}(-0) = {}", results[0]);
        assert!(results[1].is_sign_positive(), "{name}(0) = {}", results[1]);
    }
}

/// Eight lanes give what sixteen do, and lanes that are not wanted do not change others.
#[test]
fn results_depend_on_nothing_else() {
    let numbers: Vec<_> = samples()
        .iter()
        .step_by(97)
        .map(|&sample| (sample, 1.25))
        .collect();
    let bits =
        |values: Vec<f32>| -> Vec<u32> { values.iter().map(|value| value.to_bits()).collect() };
    let some = |b: &mut Builder, x: Value, y: Value| {
        let lanes = b.function().all_lanes();
        let active = b.mask(lanes & 0x5555);
        let both = [
            math::sin(b, x, Some(active)),
            math::sin(b, x, None),
            math::pow(b, x, y),
        ];
        b.select(active, both[0], both[1]);
        let sum = math::cos(b, both[2], None);
        let first = b.select(active, both[0], both[1]);
        b.int(WordBinary::Xor, first, sum)
    };
    let all = |b: &mut Builder, x: Value, y: Value| {
        let (sine, power) = (math::sin(b, x, None), math::pow(b, x, y));
        let sum = math::cos(b, power, None);
        b.int(WordBinary::Xor, sine, sum)
    };
    let expected = bits(apply(16, all, &numbers));
    assert_eq!(bits(apply(8, all, &numbers)), expected);
    assert_eq!(bits(apply(16, some, &numbers)), expected);
}
