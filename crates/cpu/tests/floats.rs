//! Floating-point contraction: sums of products are fused or strict, and engines agree bit for bit.

use std::sync::atomic::Ordering;

use anywarp_cpu::{
    Access, BindGroup, BoundBuffer, BoundGroup, Buffer, Engine, Executor, ExecutorOptions, Floats,
    Kernel, KernelOptions, OffsetKind, ResolvedBindings, Runner, Target, resolve_bindings,
};
use anywarp_program::Program;
use anywarp_test_support::Random;

/// Every way to sum a product, on scalars and vectors, with results for each lane in a row of 16 words.
const SUMS: &str = "
    @group(0) @binding(0) var<storage, read_write> data: array<array<f32, 16>>;
    fn horner(x: f32, a: f32, b: f32) -> f32 { return ((a * x + b) * x - a) * x + b; }
    @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        let i = id.x;
        let a = data[i][0];
        let b = data[i][1];
        let c = data[i][2];
        let v = vec3(a, b, c);
        let w = vec3(b, c, a);
        data[i][3] = a * b + c;
        data[i][4] = c + a * b;
        data[i][5] = a * b - c;
        data[i][6] = c - a * b;
        data[i][7] = a * b + b * c;
        data[i][8] = a * b - b * c;
        let scaled = v - w * a;
        data[i][9] = scaled.x + scaled.y * scaled.z;
        let twice = a * c;
        if b > 0.0 { data[i][10] = twice + b; } else { data[i][10] = b - twice; }
        var sum = 0.0;
        for (var k = 0u; k < i % 7u; k++) { sum += twice * f32(k); }
        data[i][11] = sum;
        data[i][12] = horner(a, b, c);
        let kept = b * c;
        data[i][13] = kept + a;
        data[i][14] = kept;
        data[i][15] = (v * w + v).y + dot(v, w);
    }";

fn run(wgsl: &str, options: KernelOptions, data: &[u32]) -> Vec<u32> {
    let program = Program::from_wgsl(wgsl).unwrap();
    let kernel = Kernel::with_options(&program, "main", options).unwrap();
    if let Engine::Code(_) = options.engine {
        assert!(kernel.code().is_ok(), "{:?}", kernel.code().err());
    }
    let buffer = Buffer::new(data.len() as u64 * 4).unwrap();
    let words = || buffer.words(0..buffer.size(), Access::ReadWrite).iter();
    words()
        .zip(data)
        .for_each(|(word, given)| word.store(*given, Ordering::Relaxed));
    let group = BindGroup::new(vec![BoundBuffer {
        binding: 0,
        buffer: buffer.clone(),
        offset: 0,
        size: buffer.size(),
        offset_kind: OffsetKind::Fixed,
    }]);
    let groups = [Some(BoundGroup {
        group: &group,
        dynamic_offsets: &[],
    })];
    let mut views = ResolvedBindings::default();
    resolve_bindings(kernel.resources(), &groups, &mut views).unwrap();
    let rows = data.len() as u32 / 16;
    let arguments = views.arguments(&[], [rows / 32, 1, 1]);
    let executor = Executor::new(&ExecutorOptions::default());
    executor
        .dispatch(&mut Runner::new(&kernel), &arguments)
        .unwrap();
    words().map(|word| word.load(Ordering::Relaxed)).collect()
}

fn options(engine: Engine, floats: Floats) -> KernelOptions {
    KernelOptions {
        engine,
        floats,
        ..Default::default()
    }
}

/// Rows of 16 words, three of them random: mostly near one, where sums cancel, and some that are anything.
fn rows(count: u32) -> Vec<u32> {
    let mut random = Random::new(1);
    let mut word = |index: u32| match (index % 16, random.word()) {
        (3.., _) => 0,
        (_, word) if word % 8 == 0 => random.word(),
        (_, word) => 0x3f00_0000 | word & 0x80ff_ffff,
    };
    (0..count * 16).map(&mut word).collect()
}

/// Equal bits, or both NaN: which NaN results is not specified.
fn same(a: u32, b: u32) -> bool {
    a == b || f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan()
}

fn assert_same(found: &[u32], expected: &[u32], what: &str) {
    for (index, (a, b)) in found.iter().zip(expected).enumerate() {
        let (row, column) = (index / 16, index % 16);
        assert!(
            same(*a, *b),
            "{what}: row {row}, word {column}: {a:#x}, not {b:#x}"
        );
    }
}

#[test]
fn engines_agree_to_the_bit() {
    let data = rows(4096);
    for floats in [Floats::Fused, Floats::Strict] {
        let expected = run(SUMS, options(Engine::Interpreter, floats), &data);
        for target in Target::all() {
            let found = run(SUMS, options(Engine::Code(target), floats), &data);
            assert_same(&found, &expected, &format!("{floats:?} with {target}"));
        }
    }
}

/// Against Rust's own arithmetic.
#[test]
fn fused_rounds_once_and_strict_twice() {
    let data = rows(4096);
    let expected = |floats| {
        let mut rows = data.clone();
        for row in rows.chunks_exact_mut(16) {
            let [a, b, c] = [0, 1, 2].map(|place| f32::from_bits(row[place]));
            let sums = match floats {
                Floats::Fused => [
                    a.mul_add(b, c),
                    a.mul_add(b, c),
                    a.mul_add(b, -c),
                    (-a).mul_add(b, c),
                    a.mul_add(b, b * c),
                    a.mul_add(b, -(b * c)),
                ],
                Floats::Strict => [
                    a * b + c,
                    c + a * b,
                    a * b - c,
                    c - a * b,
                    a * b + b * c,
                    a * b - b * c,
                ],
            };
            row[3..9].copy_from_slice(&sums.map(f32::to_bits));
        }
        rows
    };
    let (fused, strict) = (expected(Floats::Fused), expected(Floats::Strict));
    let is_other = |(a, b): &(&u32, &u32)| !same(**a, **b);
    assert!(fused.iter().zip(&strict).filter(is_other).count() > 1000);
    for (floats, expected) in [(Floats::Fused, fused), (Floats::Strict, strict)] {
        let found = run(SUMS, options(Engine::Fastest, floats), &data);
        for (found, expected) in found.chunks(16).zip(expected.chunks(16)) {
            assert_same(&found[3..9], &expected[3..9], &format!("{floats:?}"));
        }
    }
}

/// A product that passes through a bitcast is rounded in any case: this is how exact kernels prevent contraction.
#[test]
fn guarded_products_are_not_fused() {
    let guarded = "
        @group(0) @binding(0) var<storage, read_write> data: array<array<u32, 16>>;
        fn exact(x: f32, zero: u32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ zero); }
        @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            let i = id.x;
            let a = bitcast<f32>(data[i][0]);
            let b = bitcast<f32>(data[i][1]);
            let c = bitcast<f32>(data[i][2]);
            data[i][4] = bitcast<u32>(exact(a * b, data[i][3]) + c);
        }";
    let data = rows(1024);
    let strict = run(guarded, options(Engine::Fastest, Floats::Strict), &data);
    for engine in [Engine::Fastest, Engine::Interpreter] {
        let fused = run(guarded, options(engine, Floats::Fused), &data);
        assert_same(&fused, &strict, &format!("{engine:?}"));
    }
}
