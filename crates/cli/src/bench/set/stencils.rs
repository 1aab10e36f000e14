//! Rows that compute cells from their neighbours, step by step: `heat`, `heat_rows`, `heat_mask`, `life` and
//! `gray_scott`.

use super::super::reference::{stencils as reference, xorshift};
use super::super::task::{Contents, Task};
use super::Size;
use super::parts::{alternating, exactly, floats, nearly, pass, sized, units, with_constants};

/// Products and sums may be fused in each step.
const FUSED: f64 = 1e-5;

/// The task of a kernel that reads one buffer of cells and writes another. Every buffer starts with the same cells, so
/// that cells which are never written stay.
fn steps(
    name: &'static str,
    shader: String,
    cells: &[u32],
    groups: [u32; 2],
    steps: usize,
) -> Task {
    let passes = alternating(steps).map(|(from, to)| pass(0, &[from, to], groups));
    Task {
        name,
        shaders: vec![shader],
        buffers: (0..3).map(|_| Contents::Words(cells.to_vec())).collect(),
        passes: passes.collect(),
        check: None,
        work: (cells.len() * steps) as f64,
        repeats: 1,
    }
}

/// The buffer of the last step.
fn last(steps: usize) -> usize {
    alternating(steps).last().map_or(0, |(_, to)| to)
}

fn heat_in(name: &'static str, [width, height]: [u32; 2], size: Size) -> Task {
    let (n, count): (u32, usize) = size.choose((1024, 100), (256, 4));
    let text = include_str!("../../../benches/kernels/heat.wgsl");
    let shape = format!("@workgroup_size({width}, {height})");
    let shader = with_constants(text, &[("@workgroup_size(16, 16)", shape)]);
    let shader = sized(&shader, &[("N", n)]);
    let plate = units(1, (n * n) as usize);
    let groups = [n / width, n / height];
    Task {
        check: nearly(
            last(count),
            &reference::heat(&plate, n as usize, count),
            FUSED,
        ),
        ..steps(name, shader, bytemuck::cast_slice(&plate), groups, count)
    }
}

pub(super) fn heat(name: &'static str, size: Size) -> Task {
    heat_in(name, [16, 16], size)
}

pub(super) fn heat_rows(name: &'static str, size: Size) -> Task {
    heat_in(name, [256, 1], size)
}

pub(super) fn heat_mask(name: &'static str, size: Size) -> Task {
    let (n, count): (u32, usize) = size.choose((1024, 50), (128, 8));
    let text = include_str!("../../../benches/kernels/heat_mask.wgsl");
    let plate = units(2, (n * n) as usize);
    let expected = reference::heat_mask(&plate, n as usize, count);
    let shader = sized(text, &[("N", n)]);
    Task {
        check: nearly(last(count), &expected, FUSED),
        ..steps(
            name,
            shader,
            bytemuck::cast_slice(&plate),
            [n / 16; 2],
            count,
        )
    }
}

pub(super) fn life(name: &'static str, size: Size) -> Task {
    let (n, count): (u32, usize) = size.choose((1024, 50), (128, 4));
    let text = include_str!("../../../benches/kernels/life.wgsl");
    let cells: Vec<u32> = xorshift(3)
        .take((n * n) as usize)
        .map(|word| word >> 31)
        .collect();
    let shader = sized(text, &[("N", n)]);
    Task {
        check: exactly(last(count), &reference::life(&cells, n as usize, count)),
        ..steps(name, shader, &cells, [n / 16; 2], count)
    }
}

pub(super) fn gray_scott(name: &'static str, size: Size) -> Task {
    let (n, count): (u32, usize) = size.choose((512, 100), (64, 4));
    let cells = (n * n) as usize;
    let u: Vec<f32> = units(4, cells).iter().map(|it| 0.5 + 0.5 * it).collect();
    let v: Vec<f32> = units(5, cells).iter().map(|it| 0.3 * it).collect();
    let (expected, _) = reference::gray_scott(&u, &v, n as usize, count);
    let text = include_str!("../../../benches/kernels/gray_scott.wgsl");
    // Both fields of one state after the other.
    let passes = alternating(count).map(|(from, to)| {
        let buffers = [2 * from, 2 * from + 1, 2 * to, 2 * to + 1];
        pass(0, &buffers, [n / 16; 2])
    });
    Task {
        name,
        shaders: vec![sized(text, &[("N", n)])],
        buffers: vec![
            floats(&u),
            floats(&v),
            Contents::Zeros(cells),
            Contents::Zeros(cells),
            Contents::Zeros(cells),
            Contents::Zeros(cells),
        ],
        passes: passes.collect(),
        check: nearly(2 * last(count), &expected, FUSED),
        work: (cells * count) as f64,
        repeats: 1,
    }
}
