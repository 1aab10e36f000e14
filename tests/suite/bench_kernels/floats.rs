//! Benchmark kernels with float results: within a bound, or exact if every step is.
//!
//! The bounds follow from error analysis: n rounded operations on positive terms have a relative error of at most n *
//! 2^-24, whether or not a device contracts a product and a sum.

use anywarp_tests::{Executor, Interpreter};

use super::lowered::{floats, kernel, run, words, xorshift};

/// Half a unit in the last place of 1: the relative error of one rounding.
const ROUNDING: f64 = 1.0 / 16_777_216.0;

/// WGSL allows an error of 2^-11 in sine and cosine, and `trans` adds the results of 16 rounds; each round also moves
/// the next one's argument.
const TRANS_ABSOLUTE: f64 = 16.0 * 4.0 / 2048.0;

/// `big` chains 62 functions; each result is halved in the next.
const BIG_RELATIVE: f64 = 64.0 * ROUNDING;

fn assert_close(got: f32, expected: f64, bound: f64, what: impl std::fmt::Display) {
    let error = (f64::from(got) - expected).abs();
    assert!(
        error <= bound,
        "{what}: got {got}, expected {expected}, off by {error} > {bound}"
    );
}

pub(crate) fn mandelbrot(executor: &dyn Executor) {
    const SIZE: u32 = 64;
    let wgsl = kernel(
        "mandelbrot",
        &[("2048u", "64u"), ("2048.0", "64.0"), ("256u", "64u")],
    );
    let [got] = run(
        executor,
        &wgsl,
        [SIZE / 8, SIZE / 8],
        [vec![0; (SIZE * SIZE) as usize]],
    );
    let expected: Vec<u32> = (0..SIZE * SIZE)
        .map(|i| escape_time(i % SIZE, i / SIZE, SIZE as f32))
        .collect();
    // With contraction a point near the boundary may escape an iteration earlier or later; few points are there.
    let different = got.iter().zip(&expected).filter(|(a, b)| a != b).count();
    assert!(different <= 8, "{different} of {} points differ", got.len());
}

fn escape_time(column: u32, row: u32, size: f32) -> u32 {
    let cx = -2.0 + column as f32 * (3.0 / size);
    let cy = -1.5 + row as f32 * (3.0 / size);
    let (mut x, mut y) = (0f32, 0f32);
    for i in 0..64 {
        let (x2, y2) = (x * x, y * y);
        if x2 + y2 > 4.0 {
            return i;
        }
        (x, y) = (x2 - y2 + cx, 2.0 * x * y + cy);
    }
    64
}

pub(crate) fn matmul_naive(executor: &dyn Executor) {
    matmul(executor, "matmul_naive");
}

pub(crate) fn matmul_tiled(executor: &dyn Executor) {
    matmul(executor, "matmul_tiled");
}

fn matmul(executor: &dyn Executor, name: &str) {
    const N: usize = 64;
    let a: Vec<f32> = (0..N * N).map(|i| (i * 7 % 13) as f32 * 0.1).collect();
    let b: Vec<f32> = (0..N * N).map(|i| (i * 5 % 11) as f32 * 0.1).collect();
    let [_, _, c] = run(
        executor,
        &kernel(name, &[("512u", "64u")]),
        [4, 4],
        [words(a.clone()), words(b.clone()), vec![0; N * N]],
    );
    for (i, got) in floats(&c).into_iter().enumerate() {
        let (row, column) = (i / N, i % N);
        let expected: f64 = (0..N)
            .map(|k| f64::from(a[row * N + k]) * f64::from(b[k * N + column]))
            .sum();
        let bound = expected * 2.0 * N as f64 * ROUNDING;
        assert_close(got, expected, bound, format_args!("{name} {row},{column}"));
    }
}

pub(crate) fn nbody(executor: &dyn Executor) {
    const N: usize = 512;
    let coordinates: Vec<f32> = xorshift()
        .take(N * 4)
        .map(|word| (word >> 8) as f32 / 16_777_216.0)
        .collect();
    let [_, acc] = run(
        executor,
        &kernel("nbody", &[("8192u", "512u")]),
        [2, 1],
        [words(coordinates.clone()), vec![0; N * 4]],
    );
    let bodies: Vec<[f64; 4]> = coordinates
        .chunks_exact(4)
        .map(|body| std::array::from_fn(|i| f64::from(body[i])))
        .collect();
    for (index, got) in floats(&acc).chunks_exact(4).enumerate() {
        let (pull, magnitude) = pull_on(bodies[index], &bodies);
        for axis in 0..3 {
            // Each term has about 16 roundings of its own, and N terms are added.
            let bound = magnitude[axis] * (N + 16) as f64 * ROUNDING;
            assert_close(
                got[axis],
                pull[axis],
                bound,
                format_args!("body {index}.{axis}"),
            );
        }
        assert_eq!(got[3], 0.0);
    }
}

/// The sum of all terms by axis, and the sum of their magnitudes.
fn pull_on(at: [f64; 4], bodies: &[[f64; 4]]) -> ([f64; 3], [f64; 3]) {
    let mut pull = [0.0; 3];
    let mut magnitude = [0.0; 3];
    for body in bodies {
        let offset: [f64; 3] = std::array::from_fn(|axis| body[axis] - at[axis]);
        let square: f64 = offset.iter().map(|d| d * d).sum::<f64>() + 0.01;
        for axis in 0..3 {
            let term = offset[axis] * body[3] * square.powf(-1.5);
            pull[axis] += term;
            magnitude[axis] += term.abs();
        }
    }
    (pull, magnitude)
}

pub(crate) fn triad(executor: &dyn Executor) {
    const COUNT: u32 = 4096;
    // Rows of 1024 elements instead of 1 Mi.
    let wgsl = kernel("triad", &[("1048576u", "1024u")]);
    let source = words((0..COUNT).map(|i| (i & 1023) as f32));
    let [a, _, _] = run(
        executor,
        &wgsl,
        [4, 4],
        [vec![0; COUNT as usize], source.clone(), source],
    );
    assert_eq!(a, words((0..COUNT).map(|i| (i & 1023) as f32 * 4.0)));
}

/// Sums of multiples of an eighth are exact, in any order.
pub(crate) fn reduce(executor: &dyn Executor) {
    const COUNT: u32 = 256 * 256;
    let wgsl = kernel("reduce", &[]);
    let source = words((0..COUNT).map(|i| (i & 7) as f32 * 0.125));
    let [_, partial] = run(executor, &wgsl, [64, 4], [source, vec![0; 256]]);
    let [_, total] = run(executor, &wgsl, [1, 1], [partial, vec![0]]);
    assert_eq!(floats(&total), [COUNT as f32 / 8.0 * 3.5]);
}

pub(crate) fn trans(executor: &dyn Executor) {
    const COUNT: u32 = 1024;
    let [got] = run(
        executor,
        &kernel("trans", &[]),
        [COUNT / 64, 1],
        [vec![0; COUNT as usize]],
    );
    for (id, got) in floats(&got).into_iter().enumerate() {
        assert_close(
            got,
            trans_on_host(id),
            TRANS_ABSOLUTE,
            format_args!("trans {id}"),
        );
    }
}

fn trans_on_host(id: usize) -> f64 {
    let mut x = id as f64 * 0.00001 + 0.1;
    let mut sum = 0.0;
    for _ in 0..16 {
        let (sine, cosine) = (x.sin(), (x * 1.7).cos());
        let power = (sine.abs() + 0.5).powf(1.3 + 0.1 * cosine);
        sum += (-sine * cosine).exp() * power;
        x += 0.37 * power;
    }
    sum
}

/// Has no model on the host and is compared with the interpreter. Its many functions end in a clamp, so rounding has
/// little effect.
pub(crate) fn big(executor: &dyn Executor) {
    let wgsl = kernel("big", &[]);
    let [got] = run(executor, &wgsl, [1, 1], [vec![0; 64]]);
    let [expected] = run(&Interpreter, &wgsl, [1, 1], [vec![0; 64]]);
    for (id, (got, expected)) in floats(&got).into_iter().zip(floats(&expected)).enumerate() {
        let bound = f64::from(expected.abs()) * BIG_RELATIVE;
        assert_close(got, f64::from(expected), bound, format_args!("big {id}"));
    }
}
