//! The reference evaluator as an executor, with nothing in between.

use std::sync::atomic::{AtomicU32, Ordering};

use anywarp_interpret::{Arguments, BufferView, Kernel, Limits, Worker};
use anywarp_program::{Program, Source, naga};

use crate::executor::{
    Dispatch, Executor, ExecutorName, MAX_ITERATIONS, Memory, RunError, Slot, entry_point,
};

/// Runs workgroups one after another on the calling thread.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interpreter;

impl Executor for Interpreter {
    fn name(&self) -> ExecutorName {
        ExecutorName::Interpreter
    }

    fn run(&self, dispatch: &Dispatch) -> Result<Memory, RunError> {
        let kernel = compile(dispatch)?;
        let memory: Vec<(Slot, Vec<AtomicU32>)> = dispatch
            .memory
            .iter()
            .map(|(slot, words)| (*slot, words.iter().copied().map(AtomicU32::new).collect()))
            .collect();
        run_workgroups(&kernel, dispatch, &bind(&kernel, &memory)?)?;
        Ok(memory
            .into_iter()
            .map(|(slot, words)| {
                let words = words.iter().map(|word| word.load(Ordering::Relaxed));
                (slot, words.collect())
            })
            .collect())
    }
}

fn compile(dispatch: &Dispatch) -> Result<Kernel, RunError> {
    let source = Source::new(dispatch.name.as_str(), dispatch.wgsl.as_str());
    let program = Program::from_source(source).map_err(RunError::from_display)?;
    let entry = entry_point(program.module(), dispatch.entry.as_deref())?;
    let constants = dispatch.constants.iter().cloned().collect();
    let program = program
        .specialize(naga::ShaderStage::Compute, &entry, &constants)
        .map_err(RunError::from_display)?;
    Kernel::new(&program, &entry).map_err(RunError::from_display)
}

fn bind<'a>(
    kernel: &Kernel,
    memory: &'a [(Slot, Vec<AtomicU32>)],
) -> Result<Vec<BufferView<'a>>, RunError> {
    kernel
        .resources()
        .iter()
        .map(|resource| {
            let slot = Slot {
                group: resource.group,
                binding: resource.binding,
            };
            memory
                .iter()
                .find(|(at, _)| *at == slot)
                .map(|(_, words)| BufferView { words })
                .ok_or_else(|| RunError(format!("nothing is bound at {slot}")))
        })
        .collect()
}

fn run_workgroups(
    kernel: &Kernel,
    dispatch: &Dispatch,
    buffers: &[BufferView<'_>],
) -> Result<(), RunError> {
    let arguments = Arguments {
        buffers,
        immediates: &dispatch.immediates,
        textures: &[],
        arrays: &[],
        workgroup_count: dispatch.workgroups,
    };
    let limits = Limits {
        iterations: MAX_ITERATIONS,
        ..Limits::default()
    };
    let mut worker = Worker::new(kernel);
    let [x_count, y_count, z_count] = dispatch.workgroups;
    for z in 0..z_count {
        for y in 0..y_count {
            for x in 0..x_count {
                worker
                    .run(&arguments, [x, y, z], &limits)
                    .map_err(RunError::from_display)?;
            }
        }
    }
    Ok(())
}
