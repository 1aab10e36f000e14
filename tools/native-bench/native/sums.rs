//! Sums of 16 Mi floats.

use crate::buffer::Buffer;
use crate::case::Case;
use crate::engine::{Engine, Pass};
use crate::plain;

const COUNT: usize = 16 << 20;

pub(crate) fn cases(engine: &Engine) -> Vec<Case> {
    let case = |name, text, groups: u32| Case {
        name,
        // Multiples of 1/8 that are small enough for all their sums to be exact.
        buffers: vec![
            Buffer::of_floats(COUNT, |i| (i * 7 % 13) as f32 * 0.125),
            Buffer::zeros(1024),
        ],
        result: total,
        tolerance: 0.0,
        sides: vec![
            (
                "anywarp",
                engine.work(
                    &[text],
                    vec![Pass {
                        kernel: 0,
                        buffers: vec![0, 1],
                        grid: [groups, 1],
                    }],
                ),
            ),
            ("plain Rust", Box::new(plain::sums::chunks)),
        ],
    };
    vec![
        case(
            "sum_strided",
            include_str!("../../../crates/cli/benches/kernels/sum_strided.wgsl"),
            1024,
        ),
        case(
            "sum_grid",
            include_str!("../../../crates/cli/benches/kernels/sum_grid.wgsl"),
            64,
        ),
        case(
            "sum_vec4",
            include_str!("../../../crates/cli/benches/kernels/sum_vec4.wgsl"),
            1024,
        ),
    ]
}

/// The sum of the sums of all workgroups, in `f64`, where it is exact.
fn total(buffers: &[Buffer]) -> Vec<f32> {
    let sums = buffers[1].floats().iter().copied();
    vec![sums.map(f64::from).sum::<f64>() as f32]
}
