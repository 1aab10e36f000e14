//! Rows that draw scenes: `ray_march` and `path_trace`.

use super::super::reference::{path_trace, ray_march};
use super::super::task::{Contents, Task};
use super::Size;
use super::parts::{floats, nearly, pass, sized};

/// Rounding decides near edges which object a ray hits.
const EDGES: f64 = 2e-3;

pub(super) fn ray_march(name: &'static str, size: Size) -> Task {
    let n: u32 = size.choose(1024, 32);
    let text = include_str!("../../../benches/kernels/ray_march.wgsl");
    let expected = ray_march::picture(n);
    Task {
        name,
        shaders: vec![sized(text, &[("W", n), ("H", n)])],
        buffers: vec![Contents::Zeros(expected.len())],
        passes: vec![pass(0, &[0], [n / 8; 2])],
        check: nearly(0, &expected, EDGES),
        work: f64::from(n * n),
        repeats: 1,
    }
}

/// A ground, and spheres in a ring around one in the middle: center, radius, colour, share of mirrored rays.
fn spheres() -> Vec<[f32; 8]> {
    let mut all = vec![
        [0.0, -50.0, 0.0, 50.0, 0.6, 0.6, 0.5, 0.0],
        [0.0, 1.0, 0.0, 1.0, 0.9, 0.9, 0.9, 0.8],
    ];
    for i in 0..14_u8 {
        let angle = f32::from(i) * 0.4488;
        let radius = 0.25 + 0.05 * f32::from(i % 3);
        let [x, z] = [2.0 * angle.cos(), 2.0 * angle.sin()];
        let color = [0.3 + 0.05 * f32::from(i), 0.5, 0.9 - 0.05 * f32::from(i)];
        let mirror = if i % 4 == 0 { 0.5 } else { 0.0 };
        all.push([x, radius, z, radius, color[0], color[1], color[2], mirror]);
    }
    all
}

pub(super) fn path_trace(name: &'static str, size: Size) -> Task {
    let n: u32 = size.choose(512, 32);
    let text = include_str!("../../../benches/kernels/path_trace.wgsl");
    let spheres = spheres();
    let expected = path_trace::picture(&spheres, n);
    Task {
        name,
        shaders: vec![sized(text, &[("W", n), ("H", n)])],
        buffers: vec![
            floats(spheres.as_flattened()),
            Contents::Zeros(expected.len()),
        ],
        passes: vec![pass(0, &[0, 1], [n / 8; 2])],
        check: nearly(1, &expected, size.choose(EDGES, 2e-2)),
        work: f64::from(n * n),
        repeats: 1,
    }
}
