//! The row `neighbours`: a search of all birds near each bird.

use super::super::reference::{neighbours as reference, xorshift};
use super::super::task::{Contents, Task};
use super::Size;
use super::parts::{floats, nearly, pass};

pub(super) fn neighbours(name: &'static str, size: Size) -> Task {
    let count: usize = size.choose(8192, 512);
    let mut words = xorshift(17);
    let mut below = |limit: u32| (words.next().unwrap_or(0) >> 8) % limit;
    // Whole numbers, so that distances are exact.
    let birds: Vec<[f32; 4]> = (0..count)
        .map(|_| {
            let [x, y] = [0; 2].map(|_| below(2048) as f32);
            let [vx, vy] = [0; 2].map(|_| below(17) as f32 - 8.0);
            [x, y, vx, vy]
        })
        .collect();
    let expected = reference::step(&birds);
    let text = include_str!("../../../benches/kernels/neighbours.wgsl");
    Task {
        name,
        shaders: vec![text.to_owned()],
        buffers: vec![
            floats(birds.as_flattened()),
            Contents::Zeros(expected.len()),
        ],
        passes: vec![pass(0, &[0, 1], [count as u32 / 64, 1])],
        check: nearly(1, &expected, 1e-5),
        work: (count * count) as f64,
        repeats: 1,
    }
}
