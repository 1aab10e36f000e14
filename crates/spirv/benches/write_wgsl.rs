//! Benchmark of the WGSL writer against naga's, on modules of two sizes: time must be linear in the length of the text.

use std::fmt::Write;
use std::hint::black_box;

use anywarp_program::Program;
use anywarp_wgsl_writer::{Dialect, WgslOptions, write_wgsl};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

/// A module of many functions of typical shader code.
fn module(functions: u32) -> Program {
    let mut text = String::from(
        "struct Particle { position: vec3<f32>, mass: f32, velocity: vec3<f32>, kind: u32 }
        @group(0) @binding(0) var<storage, read_write> particles: array<Particle>;
        @group(0) @binding(1) var<uniform> settings: vec4<f32>;\n",
    );
    for index in 0..functions {
        let _ = write!(
            text,
            "fn step_{index}(i: u32, delta: f32) -> f32 {{
                let particle = particles[i];
                var force = vec3<f32>();
                for (var j = 0u; j < arrayLength(&particles); j++) {{
                    if j == i || particles[j].kind == {index}u {{ continue; }}
                    let offset = particles[j].position - particle.position;
                    let distance = max(dot(offset, offset), settings.x * {index}.5);
                    force += offset * (particles[j].mass / (distance * sqrt(distance)));
                }}
                switch particle.kind {{
                    case 0u, 1u: {{ force *= -1.0; }}
                    case 2u: {{ force = cross(force, particle.velocity); }}
                    default: {{ force = select(force, -force, settings.y > 0.0); }}
                }}
                particles[i].velocity += force * delta / particle.mass;
                particles[i].position = particle.position + particles[i].velocity * delta;
                return length(force) + f32((i << 3u) ^ (i >> 5u) & 255u);
            }}\n"
        );
    }
    text.push_str(
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n",
    );
    for index in 0..functions {
        let _ = writeln!(
            text,
            "    particles[id.x].mass += step_{index}(id.x, settings.z);"
        );
    }
    text.push_str("}\n");
    Program::from_wgsl(&text).unwrap()
}

fn write(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("write_wgsl");
    group.sample_size(20);
    for functions in [100, 2000] {
        let program = module(functions);
        let options = WgslOptions::new(Dialect::Naga);
        let bytes = write_wgsl(&program, &options).unwrap().len();
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_with_input(
            BenchmarkId::new("ours", functions),
            &program,
            |bencher, program| {
                bencher.iter(|| write_wgsl(black_box(program), &options).unwrap());
            },
        );
        // Both throughputs are relative to the length of our text, because naga's text is longer.
        group.bench_with_input(
            BenchmarkId::new("naga's", functions),
            &program,
            |bencher, program| {
                let flags = naga::back::wgsl::WriterFlags::empty();
                bencher.iter(|| {
                    naga::back::wgsl::write_string(
                        black_box(program.module()),
                        program.info(),
                        flags,
                    )
                    .unwrap()
                });
            },
        );
    }
    group.finish();
}

criterion_group!(benches, write);
criterion_main!(benches);
