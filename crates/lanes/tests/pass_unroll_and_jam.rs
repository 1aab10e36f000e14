//! Unroll-and-jam: kernels that loop over subgroups give the same results with two subgroups interleaved, for both
//! numbers of lanes.

use anywarp_lanes::evaluate::{Evaluator, Memory, WorkgroupInputs};
use anywarp_lanes::ir::Function;
use anywarp_lanes::pass::alias::BufferAliasing;
use anywarp_lanes::pass::{self, PassOptions, Subgroups};
use anywarp_lanes::{LoweredKernel, lower};
use anywarp_program::Program;

/// A loop that ends at a different time for each invocation.
const FRACTAL: &str = "
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(SIZE)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let c = vec2(f32(id.x % 16u) * 0.15 - 1.6, f32(id.x / 16u) * 0.2 - 1.0);
    var z = vec2(0.0);
    var n = 0u;
    while (n < 40u && dot(z, z) < 4.0) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        n = n + 1u;
    }
    out[id.x] = n;
}";

/// The same with a break in the middle, a branch inside, a loop before it, and an early return.
const BRANCHES: &str = "
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(SIZE)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = id.x * 2654435761u + 1u;
    for (var i = 0u; i < 3u; i++) { x = x ^ (x >> 13u); }
    if (x % 5u == 0u) { return; }
    var steps = 0u;
    loop {
        if (x == 1u) { break; }
        if (x % 2u == 0u) { x = x / 2u; } else { x = 3u * x + 1u; }
        steps++;
        if (steps > 50u) { break; }
    }
    out[id.x] = steps;
}";

/// A long loop that is limited by latency.
const CHAIN: &str = "
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(SIZE)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var x = f32(id.x) * 0.1;
    var sum = 0.0;
    for (var i = 0u; i < 5u; i++) {
        let s = sin(x * 100000.0);
        sum += exp(s) * cos(x);
        x += s * 0.3 + 0.01;
    }
    out[id.x] = bitcast<u32>(sum);
}";

/// A long loop of many short dependency chains, which is limited by throughput.
const WIDE: &str = "
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(SIZE)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var a = vec3(id.x, id.x + 1u, id.x + 2u);
    for (var i = 0u; i < 9u; i++) {
        var b = a;
        b = b + (vec3(id.x) << vec3(1u)) + (vec3(id.x) >> vec3(2u)) + (vec3(i) ^ a.zxy);
        b = b ^ ((vec3(id.x) | vec3(7u)) + (vec3(id.x) & vec3(77u)) + (vec3(id.x) ^ vec3(i)));
        b = b + ((vec3(id.x) + vec3(i)) ^ ((vec3(id.x) << vec3(3u)) + (vec3(id.x) >> vec3(5u))));
        a = b;
    }
    out[id.x] = a.x ^ a.y ^ a.z;
}";

/// The loop accesses memory: not profitable.
const MEMORY: &str = "
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(SIZE)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var i = id.x;
    while (i > 3u) {
        out[i] = out[i] + id.x;
        i = i / 2u;
    }
}";

/// An array in the frame, which is for one subgroup; its address is computed before the loop over subgroups.
const FRAME: &str = "
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<private> own: array<u32, 7>;
@compute @workgroup_size(SIZE)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    own[local & 1u] = id.x;
    let sum = id.x + own[local << ((id.x * 4u) % 32u)];
    for (var i = 0u; i < local % 5u; i++) {}
    out[id.x] = sum;
}";

fn lowered(wgsl: &str, size: u32, lanes: u32) -> (LoweredKernel, u32) {
    let wgsl = wgsl.replace("SIZE", &size.to_string());
    let program = Program::from_wgsl(&wgsl).unwrap();
    (
        lower(&program, "main", lanes).unwrap(),
        size.div_ceil(lanes),
    )
}

fn evaluate(function: &Function) -> Memory {
    let mut memory = Memory::default();
    memory
        .buffers
        .push((0..300).map(|number| number * 7 % 11).collect());
    for group in 0..3 {
        let run = WorkgroupInputs {
            workgroup_id: [group, 0, 0],
            workgroup_count: [3, 1, 1],
            is_cancelled: false,
        };
        let evaluator = Evaluator::new(function).unwrap();
        let outcome = evaluator.run_workgroup(&run, 1, &mut memory, &mut 10_000_000);
        outcome.unwrap_or_else(|error| panic!("{error}\n{function}"));
    }
    memory
}

/// Checks that a kernel gives the same results; returns whether the pass changed it.
fn is_changed(wgsl: &str, size: u32, lanes: u32) -> bool {
    let (lowered, subgroups) = lowered(wgsl, size, lanes);
    assert!(lowered.loops_over_subgroups);
    let mut alone = lowered.function.clone();
    for prepare in [
        pass::constant_phis::run,
        pass::fold::run,
        pass::dead_code::run,
        pass::simplify_cfg::run,
    ] {
        prepare(&mut alone);
    }
    let before = alone.clone();
    pass::unroll_and_jam::run(&mut alone, subgroups, BufferAliasing::Any);
    let expected = evaluate(&lowered.function);
    assert!(evaluate(&alone) == expected, "{before}\nbecame\n{alone}");
    let mut all = lowered.function;
    let passes = PassOptions {
        aliasing: BufferAliasing::Written,
        subgroups: Subgroups::Looped(subgroups),
        fills_lines: true,
    };
    pass::run(&mut all, &passes);
    assert!(evaluate(&all) == expected, "{all}");
    before != alone
}

#[test]
fn loops_that_masks_end_are_done_two_at_once() {
    assert!(is_changed(FRACTAL, 64, 16));
    assert!(is_changed(FRACTAL, 64, 8));
    assert!(is_changed(BRANCHES, 64, 16));
    assert!(is_changed(BRANCHES, 60, 16));
    assert!(is_changed(BRANCHES, 27, 8));
}

#[test]
fn loops_that_wait_for_their_own_results_are_done_two_at_once() {
    assert!(is_changed(CHAIN, 64, 16));
    assert!(is_changed(CHAIN, 64, 8));
    assert!(is_changed(CHAIN, 31, 16));
}

#[test]
fn others_stay() {
    assert!(!is_changed(WIDE, 64, 16), "there is enough to do");
    assert!(!is_changed(FRACTAL, 48, 16), "an odd number of subgroups");
    assert!(!is_changed(FRACTAL, 16, 16), "one subgroup");
    assert!(!is_changed(MEMORY, 64, 16));
    assert!(!is_changed(MEMORY, 64, 8));
    assert!(!is_changed(FRAME, 64, 16));
    assert!(!is_changed(FRAME, 48, 8));
}
