//! 64-bit and 16-bit numbers: programs on edge cases, lowered and evaluated, against Rust's own arithmetic.

use anywarp_lanes::evaluate::{Evaluator, Memory, WorkgroupInputs};
use anywarp_lanes::{BufferSource, lower};
use anywarp_program::{Program, Source};
use half::f16;

/// The results of a program on two columns of numbers, for each number of lanes.
fn compute(
    kind: &str,
    result: &str,
    expression: &str,
    a: &[u32],
    b: &[u32],
    out: usize,
) -> [Vec<u32>; 2] {
    let enable = match kind {
        "f16" => "enable f16;",
        "i16" | "u16" => "enable wgpu_int16;",
        _ => "",
    };
    let text = format!(
        "{enable}
        @group(0) @binding(0) var<storage, read> a: array<{kind}>;
        @group(0) @binding(1) var<storage, read> b: array<{kind}>;
        @group(0) @binding(2) var<storage, read_write> out: array<{result}>;
        @compute @workgroup_size(24)
        fn main(@builtin(global_invocation_id) id: vec3<u32>) {{
            let i = id.x;
            if i < arrayLength(&a) {{
                let x = a[i];
                let y = b[i];
                out[i] = {expression};
            }}
        }}"
    );
    let program = Program::from_source(Source::new("numbers", text.as_str()))
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    [8, 16].map(|lanes| {
        let lowered = lower(&program, "main", lanes).unwrap_or_else(|error| panic!("{error}"));
        let columns = [a.to_vec(), b.to_vec(), vec![0; out]];
        let buffers = lowered.buffers.iter().map(|buffer| match buffer {
            BufferSource::Buffer(_, binding) => *binding as usize,
            other => panic!("{other:?}"),
        });
        let places: Vec<usize> = buffers.collect();
        let mut memory = Memory {
            buffers: places.iter().map(|place| columns[*place].clone()).collect(),
            ..Memory::default()
        };
        let evaluator = Evaluator::new(&lowered.function).unwrap();
        // There are at most two numbers in a word.
        for workgroup in 0..=2 * a.len() as u32 / 24 {
            let run = WorkgroupInputs {
                workgroup_id: [workgroup, 0, 0],
                ..WorkgroupInputs::default()
            };
            let done = evaluator.run_workgroup(&run, 1, &mut memory, &mut 1_000_000_000);
            done.unwrap_or_else(|error| panic!("{expression}: {error}"));
        }
        let place = places.iter().position(|place| *place == 2).unwrap();
        memory.buffers.swap_remove(place)
    })
}

fn words(numbers: &[u64]) -> Vec<u32> {
    numbers
        .iter()
        .flat_map(|number| [*number as u32, (*number >> 32) as u32])
        .collect()
}

fn numbers(words: &[u32]) -> Vec<u64> {
    words
        .chunks(2)
        .map(|chunk| u64::from(chunk[1]) << 32 | u64::from(chunk[0]))
        .collect()
}

/// All pairs of some numbers.
fn pairs<T: Copy>(of: &[T]) -> (Vec<T>, Vec<T>) {
    of.iter().flat_map(|a| of.iter().map(|b| (*a, *b))).unzip()
}

const EDGES: &[u64] = &[
    0,
    1,
    2,
    3,
    10,
    63,
    64,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_0001,
    0xfe_dcba_9876,
    0x7fff_ff80_0000_0000,
    0x7fff_ff40_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0xffff_ff00_0000_0000,
    0xffff_ffff_0000_0000,
    0xffff_ffff_8000_0000,
    0xffff_ffff_ffff_fff6,
    0xffff_ffff_ffff_ffff,
];

fn try_wide(kind: &str, result: &str, expression: &str, expected: impl Fn(u64, u64) -> u64) {
    let (a, b) = pairs(EDGES);
    let size = if result == "u64" || result == "i64" {
        2
    } else {
        1
    };
    let found = compute(
        kind,
        result,
        expression,
        &words(&a),
        &words(&b),
        size * a.len(),
    );
    for found in found {
        let found: Vec<u64> = match size {
            2 => numbers(&found),
            _ => found.iter().map(|word| u64::from(*word)).collect(),
        };
        for ((a, b), found) in a.iter().zip(&b).zip(&found) {
            let expected = expected(*a, *b);
            assert_eq!(
                *found, expected,
                "{expression} of {kind} {a:#x} {b:#x}: {found:#x}"
            );
        }
    }
}

#[test]
fn unsigned_integers_of_64_bits() {
    let try_it = |expression, expected: fn(u64, u64) -> u64| {
        try_wide("u64", "u64", expression, expected);
    };
    try_it("x + y", u64::wrapping_add);
    try_it("x - y", u64::wrapping_sub);
    try_it("x * y", u64::wrapping_mul);
    try_it("x / y", |a, b| a.checked_div(b).unwrap_or(a));
    try_it("x % y", |a, b| a.checked_rem(b).unwrap_or(0));
    try_it("x << u32(y)", |a, b| a.wrapping_shl(b as u32));
    try_it("x >> u32(y)", |a, b| a.wrapping_shr(b as u32));
    try_it("max(x, y)", u64::max);
    try_it("countLeadingZeros(x)", |a, _| a.leading_zeros().into());
    try_it("countTrailingZeros(x)", |a, _| a.trailing_zeros().into());
    try_it("reverseBits(x)", |a, _| a.reverse_bits());
    try_it("extractBits(x, 20u, 30u)", |a, _| a >> 20 & 0x3fff_ffff);
    try_it("insertBits(x, y, 20u, 30u)", |a, b| {
        let mask = 0x3fff_ffff << 20;
        a & !mask | b << 20 & mask
    });
    try_wide("u64", "u32", "select(0u, 1u, x < y)", |a, b| (a < b).into());
    try_wide("u64", "u32", "select(0u, 1u, x >= y)", |a, b| {
        (a >= b).into()
    });
    try_wide("u64", "f32", "f32(x)", |a, _| (a as f32).to_bits().into());
}

#[test]
fn signed_integers_of_64_bits() {
    let try_it = |expression, expected: fn(i64, i64) -> i64| {
        let bits = |a: u64, b: u64| expected(a.cast_signed(), b.cast_signed()).cast_unsigned();
        try_wide("i64", "i64", expression, bits);
    };
    try_it("x / y", |a, b| if b == 0 { a } else { a.wrapping_div(b) });
    try_it("x % y", |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) });
    try_it("x >> u32(y)", |a, b| a.wrapping_shr(b as u32));
    try_it("min(x, y)", i64::min);
    try_it("abs(x)", |a, _| a.wrapping_abs());
    try_it("sign(x)", |a, _| a.signum());
    try_it("-x", |a, _| a.wrapping_neg());
    try_it("extractBits(x, 4u, 40u)", |a, _| a << 20 >> 24);
    let less = |a: u64, b: u64| (a.cast_signed() < b.cast_signed()).into();
    try_wide("i64", "u32", "select(0u, 1u, x < y)", less);
    try_wide("i64", "f32", "f32(x)", |a, _| {
        (a.cast_signed() as f32).to_bits().into()
    });
    try_wide("i64", "i32", "i32(x)", |a, _| a & 0xffff_ffff);
}

/// Floats of 32 bits as integers of 64, up to the largest that is both.
#[test]
fn floats_become_integers_of_64_bits() {
    let floats = [
        0.0f32,
        -0.5,
        1.5,
        -2.75,
        4_294_967_296.0,
        -4_294_967_808.0,
        1e18,
        -9.3e18,
        9.2e18,
        1.9e19,
        1e30,
        -1e30,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        16_777_217.0,
    ];
    let a: Vec<u32> = floats.iter().map(|float| float.to_bits()).collect();
    for found in compute("f32", "i64", "i64(x)", &a, &a, 2 * a.len()) {
        let largest = i64::MAX - ((1 << 39) - 1);
        let expected = floats.map(|float| (float as i64).min(largest).cast_unsigned());
        assert_eq!(numbers(&found), expected);
    }
    for found in compute("f32", "u64", "u64(x)", &a, &a, 2 * a.len()) {
        let largest = u64::MAX - ((1 << 40) - 1);
        assert_eq!(
            numbers(&found),
            floats.map(|float| (float as u64).min(largest))
        );
    }
}

const SHORTS: &[u16] = &[
    0, 1, 2, 7, 15, 16, 0x7f, 0x7fff, 0x8000, 0x8001, 0xfff9, 0xffff,
];

/// Numbers of 16 bits, two in a word.
fn halves(words: &[u32], count: usize) -> Vec<u16> {
    let all = words
        .iter()
        .flat_map(|word| [*word as u16, (*word >> 16) as u16]);
    all.take(count).collect()
}

fn packed(numbers: &[u16]) -> Vec<u32> {
    let at = |pair: &[u16], place: usize| u32::from(pair.get(place).copied().unwrap_or(0));
    numbers
        .chunks(2)
        .map(|chunk| at(chunk, 1) << 16 | at(chunk, 0))
        .collect()
}

fn try_short(kind: &str, expression: &str, of: &[u16], expected: impl Fn(u16, u16) -> u16) {
    let (a, b) = pairs(of);
    for found in compute(
        kind,
        kind,
        expression,
        &packed(&a),
        &packed(&b),
        a.len().div_ceil(2),
    ) {
        for ((a, b), found) in a.iter().zip(&b).zip(halves(&found, a.len())) {
            let expected = expected(*a, *b);
            assert_eq!(
                found, expected,
                "{expression} of {kind} {a:#x} {b:#x}: {found:#x}"
            );
        }
    }
}

#[test]
fn integers_of_16_bits() {
    let try_u =
        |expression, expected: fn(u16, u16) -> u16| try_short("u16", expression, SHORTS, expected);
    try_u("x + y", u16::wrapping_add);
    try_u("x * y", u16::wrapping_mul);
    try_u("x / y", |a, b| a.checked_div(b).unwrap_or(a));
    try_u("x << u32(y)", |a, b| a.wrapping_shl(b.into()));
    try_u("countLeadingZeros(x)", |a, _| a.leading_zeros() as u16);
    try_u("firstLeadingBit(x)", |a, _| {
        a.checked_ilog2().map_or(u16::MAX, |place| place as u16)
    });
    try_u("reverseBits(x)", |a, _| a.reverse_bits());
    let try_i = |expression, expected: fn(i16, i16) -> i16| {
        let bits = |a: u16, b: u16| expected(a.cast_signed(), b.cast_signed()).cast_unsigned();
        try_short("i16", expression, SHORTS, bits);
    };
    try_i("x - y", i16::wrapping_sub);
    try_i("x / y", |a, b| if b == 0 { a } else { a.wrapping_div(b) });
    try_i("x % y", |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) });
    try_i("x >> u32(y)", |a, b| a.wrapping_shr(b as u32));
    try_i("abs(x)", |a, _| a.wrapping_abs());
    try_i("max(x, y)", i16::max);
}

/// Contiguous 16-bit stores, from an odd or an even index on, by some lanes or by all, leave the other halves
/// unchanged.
#[test]
fn halves_beside_those_that_are_written_stay() {
    for shift in [0u32, 1, 3, u32::MAX] {
        for condition in ["true", "i % 3u != 0u", "i < 9u", "i % 4u < 2u"] {
            let text = format!(
                "enable wgpu_int16;
                @group(0) @binding(0) var<storage, read_write> out: array<u16>;
                @compute @workgroup_size(40)
                fn main(@builtin(local_invocation_index) i: u32) {{
                    if {condition} {{ out[i + {shift}u] = u16(i * 3u + 5u); }}
                }}"
            );
            let holds = |i: u32| match condition {
                "true" => true,
                "i < 9u" => i < 9,
                "i % 4u < 2u" => i % 4 < 2,
                _ => !i.is_multiple_of(3),
            };
            let mut expected = vec![0xabcd_u16; 30];
            for i in (0..40).filter(|number| holds(*number)) {
                let place = i.wrapping_add(shift) as usize;
                if let Some(half) = expected.get_mut(place) {
                    *half = i as u16 * 3 + 5;
                }
            }
            let program = Program::from_source(Source::new("halves", text.as_str())).unwrap();
            for lanes in [8, 16] {
                let lowered = lower(&program, "main", lanes).unwrap();
                let mut memory = Memory {
                    buffers: vec![vec![0xabcd_abcd; 15]],
                    ..Memory::default()
                };
                let evaluator = Evaluator::new(&lowered.function).unwrap();
                let done = evaluator.run_workgroup(
                    &WorkgroupInputs::default(),
                    1,
                    &mut memory,
                    &mut 100_000,
                );
                done.unwrap();
                let found = halves(&memory.buffers[0], 30);
                assert_eq!(found, expected, "{shift} {condition} {lanes}");
            }
        }
    }
}

/// Rounded once.
fn to_half(x: f64) -> u16 {
    if x.is_nan() {
        return f16::NAN.to_bits();
    }
    let near = f16::from_f64(x).to_bits();
    let beside = [near.wrapping_sub(1), near, near.wrapping_add(1)];
    let finite = beside
        .into_iter()
        .filter(|bits| f16::from_bits(*bits).is_finite());
    let best = finite.min_by(|a, b| {
        let far = |bits: u16| (f16::from_bits(bits).to_f64() - x).abs();
        far(*a).total_cmp(&far(*b)).then((a % 2).cmp(&(b % 2)))
    });
    if f16::from_bits(near).is_finite() && x.abs() < 65520.0 {
        best.unwrap_or(near)
    } else {
        near
    }
}

#[test]
fn floats_of_16_bits() {
    let mut of = vec![
        0, 0x8000, 1, 0x8003, 0x3ff, 0x400, 0x3c00, 0xbc01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00,
    ];
    of.extend((0..60u32).map(|number| (number * 40503 % 65536) as u16));
    let value = |bits: u16| f16::from_bits(bits).to_f64();
    let try_it = |expression, expected: fn(f64, f64) -> f64| {
        let (a, b) = pairs(&of);
        for found in compute(
            "f16",
            "f16",
            expression,
            &packed(&a),
            &packed(&b),
            a.len().div_ceil(2),
        ) {
            for ((a, b), found) in a.iter().zip(&b).zip(halves(&found, a.len())) {
                let exact = expected(value(*a), value(*b));
                let (found, expected) = (f16::from_bits(found), f16::from_bits(to_half(exact)));
                let is_same = found == expected || found.is_nan() && expected.is_nan();
                assert!(
                    is_same,
                    "{expression} of {a:#x} {b:#x}: {found} for {expected}"
                );
            }
        }
    };
    try_it("x + y", |a, b| a + b);
    try_it("x - y", |a, b| a - b);
    try_it("x * y", |a, b| a * b);
    try_it("x / y", |a, b| a / b);
    try_it("x % y", |a, b| a - b * (a / b).trunc());
    try_it("fma(x, y, x)", |a, b| a.mul_add(b, a));
    try_it("fma(x, x, y)", |a, b| a.mul_add(a, b));
    try_it("sqrt(x)", |a, _| a.sqrt());
    try_it("fract(x)", |a, _| a - a.floor());
    try_it("floor(x)", |a, _| a.floor());
    try_it("min(x, y)", |a, b| if b < a || a.is_nan() { b } else { a });
}

const DOUBLES: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.5,
    2.5,
    0.1,
    5e-324,
    2.3e-308,
    1e-45,
    65504.0,
    65519.9,
    2147483648.5,
    -2147483649.0,
    4294967295.9,
    9.3e18,
    -9.3e18,
    1.5e19,
    1e40,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// The words of results, for each number of lanes.
fn of_doubles(result: &str, expression: &str, words_each: usize) -> [Vec<u32>; 2] {
    let (a, b) = pairs(DOUBLES);
    let [a, b] = [a, b].map(|doubles| {
        words(
            &doubles
                .iter()
                .map(|number| number.to_bits())
                .collect::<Vec<_>>(),
        )
    });
    let out = a.len() / 2 * words_each;
    compute("f64", result, expression, &a, &b, out)
}

fn try_double(expression: &str, expected: impl Fn(f64, f64) -> f64) {
    let (a, b) = pairs(DOUBLES);
    for found in of_doubles("f64", expression, 2) {
        for ((a, b), found) in a.iter().zip(&b).zip(numbers(&found)) {
            let (found, expected) = (f64::from_bits(found), expected(*a, *b));
            let is_same = found == expected || found.is_nan() && expected.is_nan();
            assert!(is_same, "{expression} of {a} {b}: {found} for {expected}");
        }
    }
}

#[test]
fn floats_of_64_bits() {
    try_double("x + y", |a, b| a + b);
    try_double("x / y", |a, b| a / b);
    try_double("x % y", |a, b| a - b * (a / b).trunc());
    try_double("fma(x, y, x)", |a, b| a.mul_add(b, a));
    try_double("max(x, y)", |a, b| if a < b || a.is_nan() { b } else { a });
    try_double("sign(x)", |a, _| {
        if a > 0.0 {
            1.0
        } else if a < 0.0 {
            -1.0
        } else {
            0.0
        }
    });
    try_double("floor(x)", |a, _| a.floor());
    try_double("abs(x) - sqrt(abs(y))", |a, b| a.abs() - b.abs().sqrt());
    try_double("f64(f32(x))", |a, _| f64::from(a as f32));
    try_double("ldexp(x, -1060)", |a, _| libm::ldexp(a, -1060));
    try_double("ldexp(x, 2000)", |a, _| libm::ldexp(a, 2000));
    try_double("frexp(x).fract", |a, _| libm::frexp(a).0);
}

#[test]
fn floats_of_64_bits_are_compared_and_converted() {
    let (a, b) = pairs(DOUBLES);
    let check = |result: &str, expression: &str, expected: &dyn Fn(f64, f64) -> u32| {
        for found in of_doubles(result, expression, 1) {
            for ((a, b), found) in a.iter().zip(&b).zip(found) {
                assert_eq!(found, expected(*a, *b), "{expression} of {a} {b}");
            }
        }
    };
    check("u32", "select(0u, 1u, x < y)", &|a, b| (a < b).into());
    check("u32", "select(0u, 1u, x <= y)", &|a, b| (a <= b).into());
    check("u32", "select(0u, 1u, x == y)", &|a, b| (a == b).into());
    check("u32", "select(0u, 1u, x != y)", &|a, b| (a != b).into());
    check("i32", "i32(x)", &|a, _| (a as i32).cast_unsigned());
    check("u32", "u32(x)", &|a, _| a as u32);
    for found in of_doubles("i64", "i64(x)", 2) {
        for (a, found) in a.iter().zip(numbers(&found)) {
            let expected = (*a as i64).min(i64::MAX - 1023);
            assert_eq!(found, expected.cast_unsigned(), "i64({a})");
        }
    }
    for found in of_doubles("u64", "u64(x)", 2) {
        for (a, found) in a.iter().zip(numbers(&found)) {
            assert_eq!(found, (*a as u64).min(u64::MAX - 2047), "u64({a})");
        }
    }
}
