//! The same shader before and after translation gives the same buffers.
//!
//! Shaders in GLSL are made by seed, compiled by glslang, and run three times: the SPIR-V as it is on a
//! Vulkan device, and translated on that device and on the CPU. What comes out is known beforehand.

mod device;
mod generator;
mod glslang;

use std::io::{Write, stderr};

use device::Device;

fn seeds() -> u64 {
    let seeds = std::env::var("ANYWARP_SEEDS").ok();
    seeds.and_then(|it| it.parse().ok()).unwrap_or(100)
}

#[test]
fn generated_control_flow_runs_as_before() {
    let (Some(vulkan), Some(glslang)) = (Device::vulkan(), glslang::Glslang::find()) else {
        return;
    };
    let cpu = Device::cpu();
    let input: Vec<u32> = (0..64_u32)
        .map(|i| i.wrapping_mul(0x9e37_79b9) ^ (i << 3))
        .collect();
    let mut wrong = Vec::new();
    let (mut before, mut after) = (0, 0);
    for seed in 0..seeds() {
        let shader = generator::shader(seed);
        let expected: Vec<u32> = input.iter().map(|it| shader.run(*it)).collect();
        let source = shader.glsl();
        let bytes = glslang.compile(&source, "comp");
        let program = match anywarp_spirv::read(&bytes, &Default::default()) {
            Ok(program) => program,
            Err(error) => {
                wrong.push((format!("seed {seed}: {error}"), source));
                continue;
            }
        };
        if cpu.run_program(&program, &input) != expected {
            wrong.push((format!("seed {seed} on {}", cpu.name), source.clone()));
        }
        before += u64::from(vulkan.run_spirv(&bytes, &input) != expected);
        after += u64::from(vulkan.run_program(&program, &input) != expected);
    }
    // lavapipe 22.3 gets one shader in forty wrong, whichever way it comes.
    let line = format!(
        "{} shaders; {} gets {before} wrong as they are, and {after} translated\n",
        seeds(),
        vulkan.name
    );
    let _ = stderr().write_all(line.as_bytes());
    assert!(after <= before + seeds() / 20, "{line}");
    let names: Vec<_> = wrong.iter().map(|(name, _)| name).collect();
    let first = wrong.first().map(|(_, source)| source);
    assert!(
        wrong.is_empty(),
        "{names:#?}\n{}",
        first.unwrap_or(&String::new())
    );
}
