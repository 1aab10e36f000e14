//! How many simple operations a core evaluates in a second.
//!
//! An operation is one WGSL operator or built-in call on scalars; loop overhead is not counted.

use std::hint::black_box;
use std::sync::atomic::AtomicU32;

use anywarp_interpret::{Arguments, BufferView, Kernel, Limits, Worker};
use anywarp_program::Program;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const ITERATIONS: u64 = 10_000;

/// A loop body and the operations in it.
const BODIES: [(&str, u64, &str); 7] = [
    (
        "integer",
        8,
        "x = ((x * 1664525u + 1013904223u) ^ (x >> 7u)) + (i & 255u) - (x << 3u);",
    ),
    (
        "float",
        6,
        "f = f * 0.999 + 1.5 - (f - 2.0) * 0.25 / 1.0625;",
    ),
    (
        "vector",
        3,
        "v = v * 0.5 + v.wzyx - vec4f(1.0, 2.0, 3.0, 4.0);",
    ),
    ("memory", 4, "data[(i * 7u) & 63u] += data[i & 63u];"),
    (
        "u64",
        5,
        "l = ((l * 1664525lu + 1013904223lu) ^ (l >> 7u)) - (l << 3u);",
    ),
    (
        "f64",
        6,
        "d = d * 0.999lf + 1.5lf - (d - 2.0lf) * 0.25lf / 1.0625lf;",
    ),
    (
        "f16",
        6,
        "h = h * 0.999h + 1.5h - (h - 2.0h) * 0.25h / 1.0625h;",
    ),
];

fn throughput(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("interpret");
    for (name, operations, body) in BODIES {
        let program = Program::from_wgsl(&format!(
            "enable f16;
            @group(0) @binding(0) var<storage, read_write> data: array<u32>;
            @compute @workgroup_size(1) fn main() {{
                var x = data[0]; var f = f32(x); var v = vec4f(f);
                var l = u64(x); var d = f64(x); var h = f16(x);
                for (var i = 0u; i < {ITERATIONS}u; i++) {{ {body} }}
                data[0] = x + u32(f) + u32(v.x) + u32(l) + u32(d) + u32(h);
            }}"
        ))
        .expect("valid WGSL");
        let kernel = Kernel::new(&program, "main").expect("a kernel");
        let buffer: Vec<AtomicU32> = (0..64).map(AtomicU32::new).collect();
        let arguments = Arguments {
            buffers: &[BufferView { words: &buffer }],
            immediates: &[],
            textures: &[],
            arrays: &[],
            workgroup_count: [1; 3],
        };
        let mut worker = Worker::new(&kernel);
        group.throughput(Throughput::Elements(operations * ITERATIONS));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let result = worker.run(&arguments, black_box([0; 3]), &Limits::default());
                result.expect("no fault");
            });
        });
    }
    group.finish();
}

criterion_group!(benches, throughput);
criterion_main!(benches);
