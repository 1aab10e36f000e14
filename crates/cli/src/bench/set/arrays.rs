//! Rows over large arrays: `triad`, `reduce`, `histogram` and `scan`.

use super::super::reference::{arrays as reference, xorshift};
use super::super::task::{Check, Contents, Task, digest};
use super::Size;
use super::parts::{once, pass, with_constants, words};

pub(super) fn triad(name: &'static str, size: Size) -> Task {
    // The row length is a power of two, as the kernel requires.
    let (row, rows): (u32, u32) = size.choose((1_048_576, 16), (65_536, 4));
    let text = include_str!("../../../benches/kernels/triad.wgsl");
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

pub(super) fn reduce(name: &'static str, size: Size) -> Task {
    let count: usize = size.choose(16 << 20, 1 << 16);
    let grids: &[[u32; 2]] = size.choose(&[[4096, 16], [256, 1], [1, 1]], &[[256, 1], [1, 1]]);
    let numbers = words(count, |i| ((i & 7) as f32 * 0.125).to_bits());
    let levels = grids.iter().map(|[x, y]| (x * y) as usize);
    let mut buffers = vec![numbers];
    buffers.extend(levels.map(Contents::Zeros));
    Task {
        name,
        shaders: vec![include_str!("../../../benches/kernels/reduce.wgsl").to_owned()],
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

pub(super) fn histogram(name: &'static str, size: Size) -> Task {
    let groups: u32 = size.choose(1024, 16);
    let count = groups as usize * 16384;
    let source: Vec<u32> = xorshift(12345).take(count).collect();
    let bins = reference::histogram(&source);
    Task {
        name,
        shaders: vec![include_str!("../../../benches/kernels/histogram.wgsl").to_owned()],
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

pub(super) fn scan(name: &'static str, size: Size) -> Task {
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
            include_str!("../../../benches/kernels/scan_block.wgsl").to_owned(),
            include_str!("../../../benches/kernels/scan_add.wgsl").to_owned(),
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
