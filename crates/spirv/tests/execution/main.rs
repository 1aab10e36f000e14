//! The same shader before and after translation gives the same buffers.
//!
//! Shaders in GLSL are made by seed, compiled by glslang, and run three times: the SPIR-V as it is on a
//! Vulkan device, and translated on that device and on the CPU. What comes out is known beforehand.

#[path = "../common/mod.rs"]
mod common;
mod computed;
mod device;
mod generator;
mod glslang;
mod layouts;
mod random;
mod values;

use std::io::{Write, stderr};

use device::Device;
use layouts::Rules;

fn seeds() -> u64 {
    let seeds = std::env::var("ANYWARP_SEEDS").ok();
    seeds.and_then(|it| it.parse().ok()).unwrap_or(60)
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
            Ok(reading) => reading.program,
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

/// Numbers that are ordinary floats, too.
const BASE: u32 = 0x4000_0000;

/// Every leaf of a buffer is where GLSL's rules put it, read and written.
#[test]
fn leaves_of_buffers_lie_where_they_did() {
    let Some(glslang) = glslang::Glslang::find() else {
        return;
    };
    let cpu = Device::cpu();
    // Six modules a seed.
    for seed in 0..seeds().div_ceil(4) {
        for rules in [Rules::Std140, Rules::Std430, Rules::Scalar] {
            let block = layouts::block(seed, rules);
            let words = block.words();
            let last = words.iter().max().map_or(0, |word| word + 1) as usize;
            let numbered: Vec<u32> = (0..last as u32 + 4).map(|word| word + BASE).collect();
            let what = format!("seed {seed}, {rules:?}");
            let run = |writes: bool, block_words: &[u32], others: &[u32]| {
                let source = block.glsl(writes);
                let bytes = glslang.compile(&source, "comp");
                let read = anywarp_spirv::read(&bytes, &Default::default());
                let program = read.unwrap_or_else(|error| panic!("{what}: {error}\n{source}"));
                cpu.run_both(&program.program, block_words, others)
            };
            let expected: Vec<u32> = words.iter().map(|word| word + BASE).collect();
            let (_, found) = run(false, &numbered, &vec![0; words.len()]);
            assert_eq!(found, expected, "{what}\n{}", block.glsl(false));
            let (written, _) = run(true, &vec![0; numbered.len()], &expected);
            let mut expected = vec![0; numbered.len()];
            words
                .iter()
                .for_each(|word| expected[*word as usize] = word + BASE);
            assert_eq!(written, expected, "{what}\n{}", block.glsl(true));
        }
    }
}
