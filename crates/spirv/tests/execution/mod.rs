//! Differential tests: a shader gives the same buffers before and after translation.
//!
//! Generated GLSL shaders are compiled by glslang and run three times: the original SPIR-V on a Vulkan device, and the
//! translated program on that device and on the CPU. The expected result is known from the generator.

mod computed;
mod device;
mod generator;
mod graphs;
mod layouts;
pub(crate) mod values;

use crate::common::say;
use crate::common::tools::Tools;
use anywarp_program::Program;
use anywarp_spirv::{SpirvOptions, write_spirv};
use anywarp_wgsl_writer::{WgslOptions, write_wgsl};
use device::Device;
use graphs::Graph;
use layouts::Rules;

fn seeds() -> u64 {
    let seeds = std::env::var("ANYWARP_SEEDS").ok();
    seeds.and_then(|it| it.parse().ok()).unwrap_or(60)
}

/// The program after a round trip through WGSL, and through SPIR-V.
fn ways(program: &Program) -> Result<[(&'static str, Program); 2], String> {
    let text = write_wgsl(program, &WgslOptions::default());
    let text = text.map_err(|error| format!("no WGSL: {error}"))?;
    let parsed = Program::from_wgsl(&text).map_err(|error| format!("{error}"))?;
    let words = write_spirv(program, &SpirvOptions::default());
    let words = words.map_err(|error| format!("no SPIR-V: {error}"))?;
    let again = anywarp_spirv::read(&crate::common::tools::bytes(&words), &Default::default());
    let again = again.map_err(|error| format!("its SPIR-V: {error}"))?;
    Ok([("as WGSL", parsed), ("as SPIR-V again", again.program)])
}

#[test]
fn generated_control_flow_runs_as_before() {
    let (Some(vulkan), Some(tools)) = (Device::vulkan(), Tools::find()) else {
        return;
    };
    let cpu = Device::cpu();
    let input: Vec<u32> = (0..64_u32)
        .map(|i| i.wrapping_mul(0x9e37_79b9) ^ (i << 3))
        .collect();
    let mut wrong = Vec::new();
    let (mut before, mut after) = (0, Vec::new());
    for seed in 0..seeds() {
        let shader = generator::shader(seed);
        let expected: Vec<u32> = input.iter().map(|it| shader.run(*it)).collect();
        let source = shader.glsl();
        let mut words = tools.compile(&source, "comp", &[]);
        // Optimizers remove names, and produce control flow that no source language has.
        match seed % 4 {
            1 => words = tools.optimize(&words, "-O"),
            2 => words = tools.optimize(&words, "--strip-debug"),
            3 => words = tools.optimize(&words, "-Os"),
            _ => {}
        }
        let bytes = crate::common::tools::bytes(&words);
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
        match ways(&program) {
            Err(error) => wrong.push((format!("seed {seed}: {error}"), source)),
            Ok(ways) => {
                for (way, program) in ways {
                    if cpu.run_program(&program, &input) != expected {
                        let name = format!("seed {seed} {way} on {}", cpu.name);
                        wrong.push((name, source.clone()));
                    }
                }
            }
        }
        let is_right_before = vulkan.run_spirv(&bytes, &input) == expected;
        before += u64::from(!is_right_before);
        if is_right_before && vulkan.run_program(&program, &input) != expected {
            after.push(seed);
        }
    }
    // lavapipe 22.3 miscompiles one original in forty, and one in some hundreds only after translation.
    let line = format!(
        "{} shaders; {} gets {before} wrong as they are, and translated only {after:?}\n",
        seeds(),
        vulkan.name
    );
    say(&line);
    assert!(after.len() as u64 <= seeds() / 100, "{line}");
    let names: Vec<_> = wrong.iter().map(|(name, _)| name).collect();
    let first = wrong.first().map(|(_, source)| source);
    assert!(
        wrong.is_empty(),
        "{names:#?}\n{}",
        first.unwrap_or(&String::new())
    );
}

/// Control flow that no source language has. Graphs that spirv-val rejects are skipped.
#[test]
fn graphs_of_blocks_run_as_before() {
    let Some(tools) = Tools::find() else {
        return;
    };
    let cpu = Device::cpu();
    let input: Vec<u32> = (0..64_u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let (mut valid, mut forbidden) = (0, 0);
    for seed in 0..2 * seeds() {
        let graph = Graph::new(seed);
        let text = graph.assembly();
        let words = anywarp_spirv::assemble(&text);
        let mut words = words.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        if tools.fault(&words).is_some() {
            forbidden += 1;
            continue;
        }
        valid += 1;
        if seed % 3 == 0 {
            words = tools.optimize(&words, "-O");
        }
        let expected: Vec<u32> = input.iter().map(|it| graph.run(*it)).collect();
        let reading =
            anywarp_spirv::read(&crate::common::tools::bytes(&words), &Default::default());
        let program = reading.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let program = program.program;
        let ways = ways(&program).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        for (way, program) in [("as read", program)].into_iter().chain(ways) {
            let found = cpu.run_program(&program, &input);
            assert_eq!(found, expected, "seed {seed} {way}\n{text}");
        }
    }
    say(&format!(
        "{valid} graphs, and {forbidden} that SPIR-V forbids\n"
    ));
    assert!(valid > 4 * forbidden, "{valid} of {}", valid + forbidden);
}

/// Bits of numbers that are also normal floats.
const BASE: u32 = 0x4000_0000;

/// Loads and stores access every scalar of a buffer at the offset of GLSL's layout rules.
#[test]
fn leaves_of_buffers_lie_where_they_did() {
    let Some(tools) = Tools::find() else {
        return;
    };
    let cpu = Device::cpu();
    // Six modules per seed.
    for seed in 0..seeds().div_ceil(4) {
        for rules in [Rules::Std140, Rules::Std430, Rules::Scalar] {
            let block = layouts::block(seed, rules);
            let words = block.words();
            let last = words.iter().max().map_or(0, |word| word + 1) as usize;
            let numbered: Vec<u32> = (0..last as u32 + 4).map(|word| word + BASE).collect();
            let what = format!("seed {seed}, {rules:?}");
            let run = |writes: bool, block_words: &[u32], others: &[u32]| {
                let source = block.glsl(writes);
                let bytes = crate::common::tools::bytes(&tools.compile(&source, "comp", &[]));
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
