//! Register blocking: kernels with loop nests give the same results with several rows at once, for both numbers of lanes
//! and with every pass.

use anywarp_lanes::evaluate::{Evaluator, Memory, WorkgroupInputs};
use anywarp_lanes::ir::Function;
use anywarp_lanes::lower;
use anywarp_lanes::pass::{self, PassOptions, Subgroups};
use anywarp_program::Program;

/// A matrix product whose rows are the subgroups of a workgroup.
const PRODUCT: &str = "
@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@compute @workgroup_size(16, ROWS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0.0;
    for (var k = 0u; k < 24u; k++) { sum += a[id.y * 24u + k] * b[k * 16u + id.x]; }
    c[id.y * 16u + id.x] = sum;
}";

/// The same through workgroup memory, with barriers.
const TILED: &str = "
@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
var<workgroup> rows: array<f32, 16 * ROWS>;
var<workgroup> columns: array<f32, 256>;
@compute @workgroup_size(16, ROWS)
fn main(@builtin(local_invocation_id) id: vec3<u32>) {
    var sum = 0.0;
    for (var tile = 0u; tile < 2u; tile++) {
        rows[id.y * 16u + id.x] = a[(id.y * 2u + tile) * 16u + id.x];
        for (var row = id.y; row < 16u; row += ROWS) {
            columns[row * 16u + id.x] = b[(tile * 16u + row) * 16u + id.x];
        }
        workgroupBarrier();
        for (var k = 0u; k < 16u; k++) { sum += rows[id.y * 16u + k] * columns[k * 16u + id.x]; }
        workgroupBarrier();
    }
    c[id.y * 16u + id.x] = sum;
}";

/// A product that is added to what the output holds: the nest reads what it writes.
const IN_PLACE: &str = "
@group(0) @binding(0) var<storage> a: array<f32>;
@group(0) @binding(1) var<storage> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> c: array<f32>;
@compute @workgroup_size(16, ROWS)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = c[id.y * 16u + id.x];
    for (var k = 0u; k < 24u; k++) { sum += a[id.y * 24u + k] * b[k * 16u + id.x]; }
    c[id.y * 16u + id.x] = sum;
}";

fn run(function: &Function) -> Memory {
    let numbers = |factor: u32| (0..900).map(move |i| ((i * factor % 17) as f32 * 0.25).to_bits());
    let mut memory = Memory {
        buffers: vec![
            numbers(3).collect(),
            // Shorter than what is read: the end is checked.
            numbers(5).take(370).collect(),
            numbers(7).collect(),
        ],
        workgroup: vec![0; 16 * 16 + 256],
        ..Memory::default()
    };
    let inputs = WorkgroupInputs {
        workgroup_id: [0; 3],
        workgroup_count: [1; 3],
        is_cancelled: false,
    };
    let evaluator = Evaluator::new(function).unwrap();
    let outcome = evaluator.run_workgroup(&inputs, 1, &mut memory, &mut 10_000_000);
    outcome.unwrap_or_else(|error| panic!("{error}\n{function}"));
    memory
}

/// Whether the pass changes a kernel in the pipeline. Checks that the results stay.
fn is_blocked(wgsl: &str, rows: u32, lanes: u32) -> bool {
    let wgsl = wgsl.replace("ROWS", &rows.to_string());
    let program = Program::from_wgsl(&wgsl).unwrap();
    let kernel = lower(&program, "main", lanes).unwrap();
    let subgroups = (16 * rows).div_ceil(lanes);
    let mut options = PassOptions {
        aliasing: pass::alias::BufferAliasing::Written,
        subgroups: if kernel.loops_over_subgroups {
            Subgroups::Looped(subgroups)
        } else {
            Subgroups::Called(subgroups)
        },
        fills_lines: false,
    };
    let mut function = kernel.function;
    let (mut expected, mut is_changed) = (None, false);
    for (place, name) in pass::names().enumerate() {
        let before = function.clone();
        pass::run_one(place, &mut function, &mut options);
        if name == "register_blocking" {
            is_changed = before != function;
            expected = Some(run(&before));
        }
        if let Some(expected) = &expected {
            assert!(&run(&function) == expected, "after {name}:\n{function}");
        }
    }
    is_changed
}

#[test]
fn rows_that_share_loads_are_blocked() {
    for lanes in [8, 16] {
        for rows in [2, 4, 6, 8, 16] {
            assert!(
                is_blocked(PRODUCT, rows, lanes),
                "{rows} rows, {lanes} lanes"
            );
            assert!(is_blocked(TILED, rows, lanes), "{rows} rows, {lanes} lanes");
        }
    }
}

#[test]
fn nests_that_read_what_they_write_stay() {
    assert!(!is_blocked(IN_PLACE, 4, 16));
    assert!(!is_blocked(IN_PLACE, 4, 8));
}

#[test]
fn an_odd_number_of_rows_stays() {
    assert!(!is_blocked(PRODUCT, 5, 16));
}
