//! Cells that are computed from their neighbours, step by step.

use crate::buffer::{Buffer, random, unit};
use crate::case::{Case, Work};
use crate::engine::{Engine, alternating};
use crate::plain;

pub(crate) fn cases(engine: &Engine) -> Vec<Case> {
    let text = include_str!("../../../crates/cli/benches/kernels/heat.wgsl");
    let rows = text.replace("@workgroup_size(16, 16)", "@workgroup_size(256, 1)");
    vec![
        heat(
            "heat",
            engine.work(&[text], alternating(plain::heat::STEPS, 1, [64, 64])),
        ),
        heat(
            "heat_rows",
            engine.work(&[&rows], alternating(plain::heat::STEPS, 1, [4, 1024])),
        ),
        life(engine),
        gray_scott(engine),
    ]
}

fn heat(name: &'static str, ours: Work) -> Case {
    const N: usize = plain::heat::N;
    // The border is never written.
    let plate = Buffer::of_floats(N * N, unit);
    Case {
        name,
        buffers: vec![plate.clone(), plate.clone(), plate],
        result: |buffers| buffers[2].floats().to_vec(),
        tolerance: 1e-5,
        sides: vec![
            ("anywarp", ours),
            ("plain Rust", Box::new(plain::heat::run)),
        ],
    }
}

fn life(engine: &Engine) -> Case {
    const N: usize = plain::life::N;
    let text = include_str!("../../../crates/cli/benches/kernels/life.wgsl");
    Case {
        name: "life",
        buffers: vec![
            Buffer::of_words(N * N, |i| random(i) >> 31),
            Buffer::zeros(N * N),
            Buffer::zeros(N * N),
        ],
        result: |buffers| {
            let cells = buffers[2].words().iter();
            cells.map(|cell| *cell as f32).collect()
        },
        tolerance: 0.0,
        sides: vec![
            (
                "anywarp",
                engine.work(&[text], alternating(plain::life::STEPS, 1, [64, 64])),
            ),
            ("plain Rust", Box::new(plain::life::run)),
        ],
    }
}

fn gray_scott(engine: &Engine) -> Case {
    const N: usize = plain::gray_scott::N;
    let text = include_str!("../../../crates/cli/benches/kernels/gray_scott.wgsl");
    let mut buffers = vec![
        Buffer::of_floats(N * N, |i| 0.5 + 0.5 * unit(i)),
        Buffer::of_floats(N * N, |i| 0.3 * unit(i + N * N)),
    ];
    buffers.extend((0..4).map(|_| Buffer::zeros(N * N)));
    let passes = alternating(plain::gray_scott::STEPS, 2, [32, 32]);
    Case {
        name: "gray_scott",
        buffers,
        result: |buffers| buffers[4].floats().to_vec(),
        tolerance: 1e-4,
        sides: vec![
            ("anywarp", engine.work(&[text], passes)),
            ("plain Rust", Box::new(plain::gray_scott::run)),
        ],
    }
}
