//! Round trips of the kernels of the repository: each device must give the same results before and after.

use std::path::Path;

use anywarp_program::{Program, naga};
use anywarp_spirv::SpirvOptions;

use crate::common::compute::{Dispatch, run};
use crate::common::gpu::{Gpu, Shader};
use crate::common::random::Random;
use crate::common::say;
use crate::round_trip::steps::steps;

/// Number of words per buffer.
const WORDS: usize = 1 << 12;

/// Initial buffers of a program; `None` if it has other resources, or gaps between bindings.
fn buffers(module: &naga::Module) -> Option<Vec<(Vec<u32>, bool)>> {
    let mut found: Vec<(naga::ResourceBinding, bool)> = Vec::new();
    for (_, variable) in module.global_variables.iter() {
        match variable.space {
            naga::AddressSpace::Uniform => found.push((variable.binding?, true)),
            naga::AddressSpace::Storage { .. } => found.push((variable.binding?, false)),
            naga::AddressSpace::Handle | naga::AddressSpace::Immediate => return None,
            _ => {}
        }
    }
    found.sort_by_key(|(binding, _)| (binding.group, binding.binding));
    let is_dense = |(at, (binding, _)): (usize, &(naga::ResourceBinding, bool))| {
        binding.group == 0 && binding.binding as usize == at
    };
    if !found.iter().enumerate().all(is_dense) {
        return None;
    }
    let mut random = Random(3);
    let buffer = |(_, is_uniform): (_, bool)| {
        // Small integers serve as sizes and counts; floats are between 1 and 2.
        let words = (0..WORDS).map(|at| {
            if is_uniform || at < 4 {
                8
            } else {
                0x3f80_0000 | (random.next() as u32 & 0x7f_ffff)
            }
        });
        (words.collect(), is_uniform)
    };
    Some(found.into_iter().map(buffer).collect())
}

fn is_meant(program: &Program) -> bool {
    let module = program.module();
    let compute = |it: &naga::EntryPoint| it.stage == naga::ShaderStage::Compute;
    module.entry_points.iter().any(compute) && module.overrides.is_empty()
}

#[test]
fn kernels_give_the_same_after_every_step() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["crates/cli/benches/kernels", "examples"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|it| it == "wgsl") {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut devices = vec![Gpu::cpu()];
    devices.extend(Gpu::vulkan());
    let (mut wrong, mut count) = (Vec::new(), 0);
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(program) = Program::from_wgsl(&text) else {
            continue;
        };
        let Some(buffers) = buffers(program.module()) else {
            continue;
        };
        // `big.wgsl` takes drivers seconds to compile, and contains nothing that the others lack.
        if !is_meant(&program) || name == "big.wgsl" {
            continue;
        }
        let steps = match steps(&program, &SpirvOptions::default()) {
            Ok(steps) => steps,
            Err(error) => {
                wrong.push(format!("{name}: {error}"));
                continue;
            }
        };
        let ways = |is_cpu: bool| {
            let mut ways = vec![
                ("WGSL", Shader::Wgsl(steps.texts[0].clone())),
                ("WGSL again", Shader::Wgsl(steps.texts[1].clone())),
            ];
            if !is_cpu {
                ways.push(("SPIR-V", Shader::Words(steps.words[0].clone())));
                ways.push(("SPIR-V again", Shader::Words(steps.words[1].clone())));
            }
            ways
        };
        for entry in &program.module().entry_points {
            for (at, gpu) in devices.iter().enumerate() {
                let on = |shader: &Shader| {
                    let dispatch = Dispatch {
                        shader,
                        entry: &entry.name,
                        workgroup: entry.workgroup_size.into(),
                        groups: 1,
                        buffers: &buffers,
                        constants: &[],
                    };
                    run(gpu, &dispatch)
                };
                let Ok(before) = on(&Shader::Wgsl(text.clone())) else {
                    continue;
                };
                count += 1;
                for (way, shader) in ways(at == 0) {
                    let same = on(&shader).map(|after| after == before);
                    if same != Ok(true) {
                        wrong.push(format!(
                            "{name} {}, {way} on {}: {same:?}",
                            entry.name, gpu.name
                        ));
                    }
                }
            }
        }
    }
    say(&format!("{count} entry points of kernels on a device\n"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 15, "only {count}");
}
