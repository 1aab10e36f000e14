//! The benchmark set: its kernels, sizes, inputs and checksums, in one table.
//!
//! In: the name of a row and a size. Out: a [`Task`]. The kernels are the files of `benches/kernels`. At the full
//! size they are used unchanged, and their checksums are constants; at the small size some constants in them are
//! replaced, and the checksum comes from a reference implementation (`reference`).

use serde::Serialize;

use super::reference;
use super::task::{Check, Contents, Pass, Task, digest};

/// The amount of work of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// The size that the table reports.
    Full,
    /// A size for which the interpreter needs a fraction of a second.
    Small,
}

impl Size {
    fn choose<T>(self, full: T, small: T) -> T {
        match self {
            Self::Full => full,
            Self::Small => small,
        }
    }
}

/// A row of the table.
pub(super) struct Benchmark {
    pub(super) name: &'static str,
    pub(super) make: fn(&'static str, Size) -> Task,
    pub(super) kind: Kind,
}

/// What a row measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    /// Throughput: the time of a large amount of work.
    Throughput,
    /// Latency: the time of a minimal amount of work.
    Latency,
}

const fn row(name: &'static str, make: fn(&'static str, Size) -> Task) -> Benchmark {
    let kind = Kind::Throughput;
    Benchmark { name, make, kind }
}

const fn latency(name: &'static str, make: fn(&'static str, Size) -> Task) -> Benchmark {
    let kind = Kind::Latency;
    Benchmark { name, make, kind }
}

/// Every row, in the order of the table.
pub(super) const ALL: &[Benchmark] = &[
    row("mandelbrot", mandelbrot),
    row("matmul_naive", |name, size| {
        matmul(
            name,
            include_str!("../../benches/kernels/matmul_naive.wgsl"),
            size,
        )
    }),
    row("matmul_tiled", |name, size| {
        matmul(
            name,
            include_str!("../../benches/kernels/matmul_tiled.wgsl"),
            size,
        )
    }),
    row("nbody", nbody),
    row("triad", triad),
    row("reduce", reduce),
    row("histogram", histogram),
    row("scan", scan),
    row("hash", hash),
    row("trans", transcendental),
    latency("empty", empty),
    latency("dispatches", dispatches),
];

/// Tolerance for builtins with accuracy bounds and for products and sums that may be fused.
const CLOSE: f64 = 1e-4;

/// A shader with some of its constants replaced.
fn with_constants(text: &str, constants: &[(&str, String)]) -> String {
    let mut text = text.to_owned();
    for (old, new) in constants {
        text = text.replace(old, new);
    }
    text
}

fn pass(shader: usize, buffers: &[usize], grid: [u32; 2]) -> Pass {
    Pass {
        shader,
        buffers: buffers.to_vec(),
        grid: [grid[0], grid[1], 1],
    }
}

/// Generates words by their indices.
fn words(count: usize, word: impl FnMut(usize) -> u32) -> Contents {
    Contents::Words((0..count).map(word).collect())
}

fn once(expected: f64) -> Box<dyn Fn(u32) -> f64> {
    Box::new(move |_| expected)
}

fn mandelbrot(name: &'static str, size: Size) -> Task {
    let width = size.choose(2048, 128);
    let text = include_str!("../../benches/kernels/mandelbrot.wgsl");
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

fn nbody(name: &'static str, size: Size) -> Task {
    let n: u32 = size.choose(8192, 512);
    let text = include_str!("../../benches/kernels/nbody.wgsl");
    let unit = |word: u32| ((word >> 8) as f32 / (1 << 24) as f32).to_bits();
    let bodies: Vec<u32> = reference::xorshift(12345)
        .take(n as usize * 4)
        .map(unit)
        .collect();
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

fn triad(name: &'static str, size: Size) -> Task {
    // The row length is a power of two, as the kernel requires.
    let (row, rows): (u32, u32) = size.choose((1_048_576, 16), (65_536, 4));
    let text = include_str!("../../benches/kernels/triad.wgsl");
    let count = (row * rows) as usize;
    let numbers = || words(count, |i| ((i & 1023) as f32).to_bits());
    let b = numbers();
    let expected = match &b {
        Contents::Words(b) if size == Size::Small => reference::triad(b),
        _ => 34_326_183_936.0,
    };
    Task {
        name,
        shaders: vec![with_constants(text, &[("1048576u", format!("{row}u"))])],
        buffers: vec![Contents::Zeros(count), b, numbers()],
        passes: vec![pass(0, &[0, 1, 2], [row / 256, rows])],
        check: Some(Check {
            buffer: 0,
            digest: digest::float_sum,
            expected: once(expected),
            tolerance: 0.0,
        }),
        work: count as f64,
        repeats: 1,
    }
}

fn reduce(name: &'static str, size: Size) -> Task {
    let count: usize = size.choose(16 << 20, 1 << 16);
    let grids: &[[u32; 2]] = size.choose(&[[4096, 16], [256, 1], [1, 1]], &[[256, 1], [1, 1]]);
    let numbers = words(count, |i| ((i & 7) as f32 * 0.125).to_bits());
    let levels = grids.iter().map(|[x, y]| (x * y) as usize);
    let mut buffers = vec![numbers];
    buffers.extend(levels.map(Contents::Zeros));
    Task {
        name,
        shaders: vec![include_str!("../../benches/kernels/reduce.wgsl").to_owned()],
        passes: grids
            .iter()
            .enumerate()
            .map(|(level, grid)| pass(0, &[level, level + 1], *grid))
            .collect(),
        check: Some(Check {
            buffer: buffers.len() - 1,
            digest: digest::float_sum,
            // Multiples of 1/8 up to 7/8: all their sums are exact.
            expected: once(count as f64 * 3.5 * 0.125),
            tolerance: 0.0,
        }),
        buffers,
        work: count as f64,
        repeats: 1,
    }
}

fn histogram(name: &'static str, size: Size) -> Task {
    let groups: u32 = size.choose(1024, 16);
    let count = groups as usize * 16384;
    let source: Vec<u32> = reference::xorshift(12345).take(count).collect();
    let bins = reference::histogram(&source);
    Task {
        name,
        shaders: vec![include_str!("../../benches/kernels/histogram.wgsl").to_owned()],
        buffers: vec![Contents::Words(source), Contents::Zeros(256)],
        passes: vec![pass(0, &[0, 1], [groups, 1])],
        check: Some(Check {
            buffer: 1,
            digest: digest::moment,
            expected: Box::new(move |runs| bins * f64::from(runs)),
            tolerance: 0.0,
        }),
        work: count as f64,
        repeats: 1,
    }
}

fn scan(name: &'static str, size: Size) -> Task {
    let count: usize = size.choose(16 << 20, 512 * 512);
    let numbers: Vec<u32> = (0..count).map(|i| (i & 3) as u32).collect();
    let expected = numbers.clone();
    // Blocks of 512 at each level; the last one is padded with zeros.
    let (sums, passes) = match size {
        Size::Full => (
            vec![32768, 512, 1],
            vec![
                pass(0, &[0, 1], [2048, 16]),
                pass(0, &[1, 2], [64, 1]),
                pass(0, &[2, 3], [1, 1]),
                pass(1, &[1, 2], [64, 1]),
                pass(1, &[0, 1], [2048, 16]),
            ],
        ),
        Size::Small => (
            vec![512, 1],
            vec![
                pass(0, &[0, 1], [512, 1]),
                pass(0, &[1, 2], [1, 1]),
                pass(1, &[0, 1], [512, 1]),
            ],
        ),
    };
    let mut buffers = vec![Contents::Words(numbers)];
    buffers.extend(sums.into_iter().map(Contents::Zeros));
    Task {
        name,
        shaders: vec![
            include_str!("../../benches/kernels/scan_block.wgsl").to_owned(),
            include_str!("../../benches/kernels/scan_add.wgsl").to_owned(),
        ],
        buffers,
        passes,
        check: Some(Check {
            buffer: 0,
            digest: digest::hash,
            expected: Box::new(move |runs| reference::scan(&expected, runs)),
            tolerance: 0.0,
        }),
        work: count as f64,
        repeats: 1,
    }
}

fn hash(name: &'static str, size: Size) -> Task {
    let groups: u32 = size.choose(16384, 64);
    let expected = match size {
        Size::Full => f64::from(0x89dc_09ea_u32),
        Size::Small => reference::hash(groups * 64),
    };
    let text = include_str!("../../benches/kernels/hash.wgsl");
    let check = Check {
        buffer: 0,
        digest: digest::xor,
        expected: once(expected),
        tolerance: 0.0,
    };
    each_invocation(name, text, groups, check)
}

fn transcendental(name: &'static str, size: Size) -> Task {
    let groups: u32 = size.choose(16384, 64);
    let expected = match size {
        Size::Full => 20_158_307.5,
        Size::Small => reference::transcendental(groups * 64),
    };
    let text = include_str!("../../benches/kernels/trans.wgsl");
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

/// Number of measurements for tasks that take microseconds.
const LATENCY_REPEATS: u32 = 20;

fn empty(name: &'static str, _: Size) -> Task {
    Task {
        name,
        shaders: vec![include_str!("../../benches/kernels/empty.wgsl").to_owned()],
        buffers: Vec::new(),
        passes: vec![pass(0, &[], [1, 1])],
        check: None,
        work: 1.0,
        repeats: LATENCY_REPEATS,
    }
}

/// A thousand dispatches in one submission; each depends on the output of the previous one.
fn dispatches(name: &'static str, _: Size) -> Task {
    const COUNT: u32 = 1000;
    Task {
        name,
        shaders: vec![include_str!("../../benches/kernels/counter.wgsl").to_owned()],
        buffers: vec![Contents::Zeros(64)],
        passes: (0..COUNT).map(|_| pass(0, &[0], [1, 1])).collect(),
        check: Some(Check {
            buffer: 0,
            digest: digest::sum,
            expected: Box::new(|runs| f64::from(64 * COUNT) * f64::from(runs)),
            tolerance: 0.0,
        }),
        work: 1.0,
        repeats: LATENCY_REPEATS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(name: &str, size: Size) -> Task {
        let row = ALL.iter().find(|row| row.name == name).unwrap();
        (row.make)(row.name, size)
    }

    #[test]
    fn known_checksums_are_those_of_the_reference() {
        let words = |name: &str, buffer: usize| match task(name, Size::Full).buffers.remove(buffer)
        {
            Contents::Words(words) => words,
            Contents::Zeros(_) => unreachable!("the buffer is an input"),
        };
        let (a, b) = (words("matmul_tiled", 0), words("matmul_tiled", 1));
        for (name, computed) in [
            ("mandelbrot", reference::mandelbrot(2048)),
            ("matmul_naive", reference::matmul(&a, &b, 512)),
            ("nbody", reference::nbody(&words("nbody", 0))),
            ("triad", reference::triad(&words("triad", 1))),
            ("hash", reference::hash(1 << 20)),
            ("trans", reference::transcendental(1 << 20)),
        ] {
            let check = task(name, Size::Full).check.unwrap();
            let known = (check.expected)(1);
            let off = (computed - known).abs();
            assert!(off <= known * check.tolerance, "{name}: {computed} {known}");
        }
    }

    #[test]
    fn the_small_size_differs_by_what_is_replaced() {
        for (name, constant) in [
            ("mandelbrot", "const W: u32 = 128u;"),
            ("mandelbrot", "(3.0 / 128.0)"),
            ("matmul_naive", "const N: u32 = 64u;"),
            ("matmul_tiled", "const N: u32 = 64u;"),
            ("nbody", "const N: u32 = 512u;"),
            ("triad", "65536u"),
        ] {
            let (full, small) = (task(name, Size::Full), task(name, Size::Small));
            assert!(!full.shaders[0].contains(constant), "{name}");
            assert!(small.shaders[0].contains(constant), "{name}");
            assert!(small.work * 32.0 <= full.work, "{name}");
        }
    }
}
