//! Rows that sum arrays: `sum_strided`, `sum_grid`, `sum_vec4` and `block_scan`.

use super::super::reference::sums as reference;
use super::super::task::{Contents, Task};
use super::Size;
use super::parts::{exactly, floats, pass};

/// Elements that a workgroup of the chunked sums takes.
const CHUNK: usize = 16384;

/// Multiples of 1/8 that are small enough for all their sums to be exact.
fn eighths(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i * 7 % 13) as f32 * 0.125).collect()
}

fn sum(name: &'static str, text: &str, numbers: &[f32], sums: &[f32]) -> Task {
    Task {
        name,
        shaders: vec![text.to_owned()],
        buffers: vec![floats(numbers), Contents::Zeros(sums.len())],
        passes: vec![pass(0, &[0, 1], [sums.len() as u32, 1])],
        check: exactly(1, bytemuck::cast_slice(sums)),
        work: numbers.len() as f64,
        repeats: 1,
    }
}

fn chunked(name: &'static str, text: &str, size: Size) -> Task {
    let numbers = eighths(size.choose(16 << 20, 1 << 16));
    let sums = reference::chunks(&numbers, CHUNK);
    sum(name, text, &numbers, &sums)
}

pub(super) fn strided(name: &'static str, size: Size) -> Task {
    let text = include_str!("../../../benches/kernels/sum_strided.wgsl");
    chunked(name, text, size)
}

pub(super) fn vec4(name: &'static str, size: Size) -> Task {
    let text = include_str!("../../../benches/kernels/sum_vec4.wgsl");
    chunked(name, text, size)
}

pub(super) fn grid(name: &'static str, size: Size) -> Task {
    let text = include_str!("../../../benches/kernels/sum_grid.wgsl");
    let (count, groups) = size.choose((16 << 20, 64), (1 << 16, 16));
    let numbers = eighths(count);
    let sums = reference::in_turns(&numbers, 256, groups);
    sum(name, text, &numbers, &sums)
}

/// Numbers of a block.
const BLOCK: usize = 256;

pub(super) fn block_scan(name: &'static str, size: Size) -> Task {
    let count: usize = size.choose(4 << 20, 1 << 14);
    let numbers: Vec<u32> = (0..count).map(|i| (i * 5 % 7) as u32).collect();
    let sums = reference::prefix_sums(&numbers);
    // Buffer 0 are the numbers, buffer 1 their sums; each level after that has totals of the one before, and their sums.
    let mut buffers = vec![Contents::Words(numbers), Contents::Zeros(count)];
    let mut passes = Vec::new();
    let mut adds = Vec::new();
    let mut length = count;
    while length > 1 {
        let source = buffers.len() - 2;
        let (sums, totals, next_sums) = (source + 1, source + 2, source + 3);
        let groups = length.div_ceil(BLOCK);
        // Padded, so that a level is whole blocks.
        let padded = groups.next_multiple_of(BLOCK);
        buffers.extend([Contents::Zeros(padded), Contents::Zeros(padded)]);
        passes.push(pass(0, &[source, sums, totals], [groups as u32, 1]));
        if groups > 1 {
            adds.push(pass(1, &[sums, next_sums], [groups as u32, 1]));
        }
        length = groups;
    }
    passes.extend(adds.into_iter().rev());
    Task {
        name,
        shaders: vec![
            include_str!("../../../benches/kernels/block_scan.wgsl").to_owned(),
            include_str!("../../../benches/kernels/block_add.wgsl").to_owned(),
        ],
        buffers,
        passes,
        check: exactly(1, &sums),
        work: count as f64,
        repeats: 1,
    }
}
