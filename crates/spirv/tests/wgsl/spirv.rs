//! Programs that come from SPIR-V, whose modules look nothing like WGSL's.
//!
//! naga's front end gives functions without names for values, variables for everything and
//! branches without `else`. Written and read again they must do the same.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use anywarp_interpret::{Arguments, BufferView, Elements, Kernel, Limits, ResourceKind, Worker};
use anywarp_program::Program;
use anywarp_program::naga::ShaderStage;
use anywarp_spirv::{Dialect, WgslOptions, write_wgsl};
use anywarp_tests::{Case, Dispatch, Memory, Slot};
use naga::{back, front};

/// The program after a way through SPIR-V; `None` where naga cannot do that.
pub(crate) fn through_spirv(program: &Program) -> Option<Program> {
    let options = back::spv::Options {
        flags: back::spv::WriterFlags::DEBUG,
        ..Default::default()
    };
    // naga panics on some constructs, where it writes them and where it reads them.
    let write = || back::spv::write_vec(program.module(), program.info(), &options, None);
    let words = catch_unwind(AssertUnwindSafe(write)).ok()?.ok()?;
    let options = front::spv::Options {
        adjust_coordinate_space: false,
        ..Default::default()
    };
    let read = || front::spv::Frontend::new(words.into_iter(), &options).parse();
    let module = catch_unwind(AssertUnwindSafe(read)).ok()?.ok()?;
    Program::from_module(module).ok()
}

/// What the buffers hold after a run; `None` where the program cannot run or ends in a fault.
pub(crate) fn run(program: &Program, dispatch: &Dispatch) -> Option<Memory> {
    let entry = program.module().entry_points.first()?.name.clone();
    let constants = dispatch.constants.iter().cloned().collect();
    let program = program
        .specialize(ShaderStage::Compute, &entry, &constants)
        .ok()?;
    let kernel = Kernel::new(&program, &entry).ok()?;
    let memory: Vec<(Slot, Vec<AtomicU32>)> = dispatch
        .memory
        .iter()
        .map(|(slot, words)| (*slot, words.iter().copied().map(AtomicU32::new).collect()))
        .collect();
    let buffers: Option<Vec<_>> = kernel
        .resources()
        .iter()
        .map(|resource| {
            // Textures and arrays are run elsewhere, as cases.
            if matches!(resource.kind, ResourceKind::Texture(_))
                || resource.elements != Elements::Single
            {
                return None;
            }
            let slot = Slot {
                group: resource.group,
                binding: resource.binding,
            };
            let (_, words) = memory.iter().find(|(at, _)| *at == slot)?;
            Some(BufferView { words })
        })
        .collect();
    let arguments = Arguments {
        buffers: &buffers?,
        immediates: &dispatch.immediates,
        textures: &[],
        arrays: &[],
        workgroup_count: dispatch.workgroups,
    };
    let limits = Limits {
        iterations: 100_000,
        ..Limits::default()
    };
    let mut worker = Worker::new(&kernel);
    let [width, height, depth] = dispatch.workgroups;
    for index in 0..width * height * depth {
        let workgroup = [
            index % width,
            index / width % height,
            index / width / height,
        ];
        worker.run(&arguments, workgroup, &limits).ok()?;
    }
    let words = |words: &Vec<AtomicU32>| {
        words
            .iter()
            .map(|word| word.load(Ordering::Relaxed))
            .collect()
    };
    Some(
        memory
            .iter()
            .map(|(slot, buffer)| (*slot, words(buffer)))
            .collect(),
    )
}

#[test]
fn programs_from_spirv_do_the_same_when_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance");
    let mut found = Vec::new();
    crate::repository::files(&folder, &mut found);
    found.sort();
    let (mut compared, mut faults) = (0, Vec::new());
    // naga's own SPIR-V builds a value of the type that only a builtin function returns.
    found.retain(|path| !path.to_string_lossy().contains("atomics/compare_exchange"));
    for path in &found {
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        let text = std::fs::read_to_string(path).unwrap();
        let dispatch = Case::parse(&name, &text).unwrap().dispatch();
        let Some(program) = through_spirv(&Program::from_wgsl(&text).unwrap()) else {
            continue;
        };
        let options = WgslOptions::new(Dialect::Naga);
        let written = match write_wgsl(&program, &options) {
            Ok(written) => written,
            Err(error) => {
                faults.push(format!("{name}: not written: {error}"));
                continue;
            }
        };
        let again = match Program::from_wgsl(&written) {
            Ok(again) => again,
            Err(error) => {
                faults.push(format!("{name}: not read: {error}\n{written}"));
                continue;
            }
        };
        match write_wgsl(&again, &options) {
            Ok(second) if second == written => {}
            Ok(second) => faults.push(format!("{name}: changes\n{written}\n---\n{second}")),
            Err(error) => faults.push(format!("{name}: not written again: {error}")),
        }
        let Some(before) = run(&program, &dispatch) else {
            continue;
        };
        compared += 1;
        if run(&again, &dispatch) != Some(before) {
            faults.push(format!("{name}: does something else\n{written}"));
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {compared}\n{}",
        faults.len(),
        faults.join("\n\n")
    );
    assert!(compared > 150, "only {compared} programs");
}
