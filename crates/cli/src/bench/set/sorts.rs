//! Rows that order numbers: `bitonic` and `top_k`.

use super::super::reference::sorts as reference;
use super::super::task::{Contents, Pass, Task};
use super::Size;
use super::parts::{exactly, floats, pass, sized, units};

pub(super) fn bitonic(name: &'static str, size: Size) -> Task {
    let bits: u32 = size.choose(18, 11);
    let count = 1_u32 << bits;
    let groups = [count / 512, 1];
    let mut buffers = vec![Contents::Zeros(count as usize)];
    // Every run starts with the same keys.
    let mut passes = vec![pass(0, &[0], [count / 256, 1])];
    for stage in 1..=bits {
        for step in (0..stage).rev() {
            passes.push(pass(1, &[0, buffers.len()], groups));
            buffers.push(Contents::Words(vec![1 << stage, 1 << step]));
        }
    }
    Task {
        name,
        shaders: vec![
            include_str!("../../../benches/kernels/bitonic_fill.wgsl").to_owned(),
            include_str!("../../../benches/kernels/bitonic.wgsl").to_owned(),
        ],
        check: exactly(0, &reference::sorted_keys(count)),
        work: f64::from(count) * passes.len() as f64,
        buffers,
        passes,
        repeats: 1,
    }
}

pub(super) fn top_k(name: &'static str, size: Size) -> Task {
    let (rows, columns): (u32, u32) = size.choose((1024, 4096), (8, 512));
    let scores = units(11, (rows * columns) as usize);
    let top = reference::largest(&scores, columns as usize, 8);
    let text = include_str!("../../../benches/kernels/top_k.wgsl");
    let passes: Vec<Pass> = vec![pass(0, &[0, 1], [rows, 1])];
    Task {
        name,
        shaders: vec![sized(text, &[("COLUMNS", columns)])],
        buffers: vec![floats(&scores), Contents::Zeros(top.len())],
        passes,
        check: exactly(1, bytemuck::cast_slice(&top)),
        work: f64::from(rows * columns),
        repeats: 1,
    }
}
