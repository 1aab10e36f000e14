//! How fast SPIR-V is read, next to naga's own reader: both validate what they made.
//!
//! The module is a long shader in GLSL, made once and compiled by glslang, in three lengths: the cost
//! should grow with the length and no faster.

use std::fmt::Write;
use std::hint::black_box;
use std::process::Command;

use anywarp_program::Program;
use anywarp_program::naga::front::spv;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

/// A shader with this many functions, each of a few dozen instructions and two loops.
fn shader(functions: u32) -> String {
    let mut text = String::from(
        "#version 450\nlayout(local_size_x = 64) in;\n\
         layout(binding = 0, std430) buffer Data { vec4 data[]; };\n",
    );
    for function in 0..functions {
        let _ = writeln!(
            text,
            "vec4 f{function}(vec4 v, int n) {{\n\
             for (int i = 0; i < n; i++) {{\n\
             if (v.x > {function}.5) v = v.yzwx * 0.5 + vec4(i); else v.y -= dot(v, v);\n\
             switch (i & 3) {{ case 0: v.z += 1.0; break; case 1: v.w *= 2.0; default: v.x -= 3.0; }}\n\
             for (int k = i; k < 3; k++) {{ if (v.w > 7.0) break; v += data[k] * float({function}); }}\n\
             }}\nreturn v;\n}}"
        );
    }
    text.push_str("void main() {\nvec4 v = data[0];\n");
    for function in 0..functions {
        let _ = writeln!(text, "v = f{function}(v, {});", function % 5);
    }
    text.push_str("data[0] = v;\n}\n");
    text
}

fn compile(functions: u32) -> Option<Vec<u8>> {
    let name = format!("anywarp-bench-{}-{functions}", std::process::id());
    let folder = std::env::temp_dir();
    let (input, output) = (folder.join(&name).with_extension("comp"), folder.join(name));
    std::fs::write(&input, shader(functions)).ok()?;
    let run = Command::new("glslangValidator")
        .arg("-V")
        .arg("-o")
        .args([&output, &input])
        .output();
    let bytes = run
        .ok()
        .filter(|run| run.status.success())
        .and_then(|_| std::fs::read(&output).ok());
    let _ = (std::fs::remove_file(input), std::fs::remove_file(output));
    bytes
}

fn read(criterion: &mut Criterion) {
    for functions in [20, 200, 2000] {
        let Some(bytes) = compile(functions) else {
            return;
        };
        let mut group = criterion.benchmark_group(format!("read {} KB", bytes.len() / 1000));
        group
            .sample_size(10)
            .throughput(Throughput::Bytes(bytes.len() as u64));
        group.bench_function("anywarp", |bencher| {
            bencher.iter(|| anywarp_spirv::read(black_box(&bytes), &Default::default()).unwrap());
        });
        group.bench_function("naga", |bencher| {
            bencher.iter(|| {
                let module = spv::parse_u8_slice(black_box(&bytes), &spv::Options::default());
                Program::from_module(module.unwrap()).unwrap()
            });
        });
    }
}

criterion_group!(benches, read);
criterion_main!(benches);
