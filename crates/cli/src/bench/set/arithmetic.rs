//! Rows that are limited by arithmetic: `mandelbrot`, `matmul_naive`, `matmul_tiled`, `nbody`, `hash` and `trans`.

use super::super::reference::{arithmetic as reference, xorshift};
use super::super::task::{Check, Contents, Task, digest};
use super::Size;
use super::parts::{CLOSE, once, pass, with_constants};

pub(super) fn mandelbrot(name: &'static str, size: Size) -> Task {
    let width = size.choose(2048, 128);
    let text = include_str!("../../../benches/kernels/mandelbrot.wgsl");
    let expected = size.choose(199_370_695.0, reference::mandelbrot(128));
    let groups = width / 8;
    Task {
        name,
        shaders: vec![with_constants(
            text,
            &[
                ("const W: u32 = 2048u;", format!("const W: u32 = {width}u;")),
                ("(3.0 / 2048.0)", format!("(3.0 / {width}.0)")),
            ],
        )],
        buffers: vec![Contents::Zeros((width * width) as usize)],
        passes: vec![pass(0, &[0], [groups, groups])],
        check: Some(Check {
            buffer: 0,
            digest: digest::sum,
            expected: once(expected),
            // Fusing changes single points at the edge, which have more weight in a small picture.
            tolerance: size.choose(CLOSE, 2e-3),
        }),
        work: f64::from(width * width),
        repeats: 1,
    }
}

pub(super) fn matmul_naive(name: &'static str, size: Size) -> Task {
    let text = include_str!("../../../benches/kernels/matmul_naive.wgsl");
    matmul(name, text, size)
}

pub(super) fn matmul_tiled(name: &'static str, size: Size) -> Task {
    let text = include_str!("../../../benches/kernels/matmul_tiled.wgsl");
    matmul(name, text, size)
}

fn matmul(name: &'static str, text: &str, size: Size) -> Task {
    let n = size.choose(512, 64);
    let count = n * n;
    let a: Vec<u32> = (0..count)
        .map(|i| ((i * 7 % 13) as f32 * 0.1).to_bits())
        .collect();
    let b: Vec<u32> = (0..count)
        .map(|i| ((i * 5 % 11) as f32 * 0.1).to_bits())
        .collect();
    let expected = match size {
        Size::Full => 40_265_325.7,
        Size::Small => reference::matmul(&a, &b, n),
    };
    let groups = n as u32 / 16;
    Task {
        name,
        shaders: vec![with_constants(
            text,
            &[("const N: u32 = 512u;", format!("const N: u32 = {n}u;"))],
        )],
        buffers: vec![
            Contents::Words(a),
            Contents::Words(b),
            Contents::Zeros(count),
        ],
        passes: vec![pass(0, &[0, 1, 2], [groups, groups])],
        check: Some(Check {
            buffer: 2,
            digest: digest::float_sum,
            expected: once(expected),
            tolerance: 1e-5,
        }),
        work: (n * n * n) as f64,
        repeats: 1,
    }
}

pub(super) fn nbody(name: &'static str, size: Size) -> Task {
    let n: u32 = size.choose(8192, 512);
    let text = include_str!("../../../benches/kernels/nbody.wgsl");
    let unit = |word: u32| ((word >> 8) as f32 / (1 << 24) as f32).to_bits();
    let bodies: Vec<u32> = xorshift(12345).take(n as usize * 4).map(unit).collect();
    let expected = match size {
        Size::Full => 82_685_319.0,
        Size::Small => reference::nbody(&bodies),
    };
    Task {
        name,
        shaders: vec![with_constants(
            text,
            &[("const N: u32 = 8192u;", format!("const N: u32 = {n}u;"))],
        )],
        passes: vec![pass(0, &[0, 1], [n / 256, 1])],
        buffers: vec![Contents::Words(bodies), Contents::Zeros(n as usize * 4)],
        check: Some(Check {
            buffer: 1,
            digest: digest::float_size,
            expected: once(expected),
            tolerance: CLOSE,
        }),
        work: f64::from(n) * f64::from(n),
        repeats: 1,
    }
}

pub(super) fn hash(name: &'static str, size: Size) -> Task {
    let groups: u32 = size.choose(16384, 64);
    let expected = match size {
        Size::Full => f64::from(0x89dc_09ea_u32),
        Size::Small => reference::hash(groups * 64),
    };
    let text = include_str!("../../../benches/kernels/hash.wgsl");
    let check = Check {
        buffer: 0,
        digest: digest::xor,
        expected: once(expected),
        tolerance: 0.0,
    };
    each_invocation(name, text, groups, check)
}

pub(super) fn transcendental(name: &'static str, size: Size) -> Task {
    let groups: u32 = size.choose(16384, 64);
    let expected = match size {
        Size::Full => 20_158_307.5,
        Size::Small => reference::transcendental(groups * 64),
    };
    let text = include_str!("../../../benches/kernels/trans.wgsl");
    let check = Check {
        buffer: 0,
        digest: digest::float_sum,
        expected: once(expected),
        tolerance: CLOSE,
    };
    each_invocation(name, text, groups, check)
}

/// A kernel with 64 invocations per workgroup, each of which writes one word.
fn each_invocation(name: &'static str, text: &str, groups: u32, check: Check) -> Task {
    Task {
        name,
        shaders: vec![text.to_owned()],
        buffers: vec![Contents::Zeros(groups as usize * 64)],
        passes: vec![pass(0, &[0], [groups, 1])],
        check: Some(check),
        work: f64::from(groups),
        repeats: 1,
    }
}
