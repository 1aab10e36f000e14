//! Runs every stage on a program: inspects it, compiles it for every engine, runs it, and writes it in every
//! language.
//!
//! In: a [`Program`] and whether its results are determined. Out: a [`Verdict`]. Kernels run over small buffers with
//! both time limits set, as SECURITY.md recommends for untrusted shaders. If results are determined, all engines that
//! finish in time must agree word for word.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anywarp_cpu::{
    Arguments, BufferView, DispatchError, Elements, Engine, Executor, ExecutorOptions, Kernel,
    KernelOptions, ResourceKind, Runner, Target,
};
use anywarp_program::naga::ShaderStage;
use anywarp_program::{Constants, EntryPoint, Program, ProgramError, WorkgroupMemory};

use super::stages::Stages;
use super::translate;
use super::verdict::Verdict;

/// Time limit of a dispatch and of a workgroup: programs may be endless.
const RUN_LIMIT: Duration = Duration::from_millis(200);

/// The most entry points of a program that are exercised.
const ENTRY_POINTS: usize = 3;

/// The most bytes of all buffers of a kernel that is run.
const MAX_BUFFER_BYTES: u64 = 4 << 20;

/// The bytes of a runtime-sized array.
const RUNTIME_BYTES: u64 = 1024;

const WORKGROUPS: [u32; 3] = [2, 1, 1];

/// The CPU device's limits on a workgroup; wgpu rejects larger ones before they are compiled.
const MAX_INVOCATIONS: u32 = 1024;
const MAX_WORKGROUP_BYTES: u64 = 32 << 10;

/// Whether every engine must give the same results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Results {
    /// The program has no data race and uses nothing with a result that WGSL leaves open.
    Determined,
    Open,
}

/// Reads WGSL.
pub(crate) fn read_wgsl(text: &str, stages: &Stages) -> Result<Program, Verdict> {
    let read = stages.run("read", || Program::from_wgsl(text));
    read.map_err(|error| refusal("read", &error))
}

/// A user error is a rejection; an internal error is a finding.
pub(crate) fn refusal(stage: &str, error: &ProgramError) -> Verdict {
    let text = error.to_string();
    match error {
        ProgramError::Internal(_) => Verdict::wrong(stage, text),
        _ if text.contains('\u{1b}') => Verdict::wrong(stage, "an escape sequence in a message"),
        _ => Verdict::Refused,
    }
}

/// Runs all stages on a program.
pub(crate) fn exercise(program: &Program, results: Results, stages: &Stages) -> Verdict {
    let points = stages.run("inspect", || {
        let _ = (program.bindings(), program.overrides());
        program.entry_points()
    });
    let is_compute = |point: &&EntryPoint| point.stage == ShaderStage::Compute;
    for point in points.iter().filter(is_compute).take(ENTRY_POINTS) {
        if let Err(verdict) = entry_point(program, point, results, stages) {
            return verdict;
        }
    }
    translate::translate(program, stages)
        .err()
        .unwrap_or(Verdict::Accepted)
}

fn entry_point(
    program: &Program,
    point: &EntryPoint,
    results: Results,
    stages: &Stages,
) -> Result<(), Verdict> {
    let constants = Constants::default();
    let specialized = stages.run("specialize", || {
        program.specialize(point.stage, &point.name, &constants)
    });
    let specialized = match specialized {
        Ok(specialized) => specialized,
        Err(error) => {
            return match refusal("specialize", &error) {
                Verdict::Refused => Ok(()),
                verdict => Err(verdict),
            };
        }
    };
    let mut expected: Option<Vec<Vec<u32>>> = None;
    for engine in engines() {
        let Some(kernel) = compile(&specialized, &point.name, engine, stages)? else {
            return Ok(());
        };
        if !fits(&kernel, point) {
            continue;
        }
        let Some(found) = run(&kernel, engine, stages)? else {
            continue;
        };
        let differs = expected.as_ref().is_some_and(|results| *results != found);
        if results == Results::Determined && differs {
            let text = format!("{engine:?} and the first engine differ in `{}`", point.name);
            return Err(Verdict::wrong(run_stage(engine), text));
        }
        expected.get_or_insert(found);
    }
    Ok(())
}

/// The interpreter, and machine code of each width.
fn engines() -> impl Iterator<Item = Engine> {
    [Engine::Interpreter]
        .into_iter()
        .chain(Target::all().map(Engine::Code))
}

fn compile_stage(engine: Engine) -> &'static str {
    match engine.target().map(Target::lanes) {
        None => "compile for the interpreter",
        Some(8) => "compile for 8 lanes",
        Some(_) => "compile for 16 lanes",
    }
}

fn run_stage(engine: Engine) -> &'static str {
    match engine.target().map(Target::lanes) {
        None => "run interpreted",
        Some(8) => "run with 8 lanes",
        Some(_) => "run with 16 lanes",
    }
}

/// Compiles a kernel; `None` if it is rejected.
fn compile(
    program: &Program,
    name: &str,
    engine: Engine,
    stages: &Stages,
) -> Result<Option<Kernel>, Verdict> {
    let options = KernelOptions {
        engine,
        ..Default::default()
    };
    let stage = compile_stage(engine);
    let made = stages.run(stage, || Kernel::with_options(program, name, options));
    let Ok(kernel) = made else { return Ok(None) };
    match kernel.code() {
        Err(reason) if reason.is_internal() => Err(Verdict::wrong(stage, reason.to_string())),
        _ => Ok(Some(kernel)),
    }
}

/// Whether a device would run the kernel, and it needs only a few small buffers.
fn fits(kernel: &Kernel, point: &EntryPoint) -> bool {
    let invocations = { kernel.workgroup_size().into_iter() }.try_fold(1_u32, u32::checked_mul);
    let is_small = |bytes: &WorkgroupMemory| matches!(bytes, WorkgroupMemory::Known(bytes) if *bytes <= MAX_WORKGROUP_BYTES);
    let resources = kernel.resources();
    let are_buffers = resources.iter().all(|resource| {
        resource.elements == Elements::Single && !matches!(resource.kind, ResourceKind::Texture(_))
    });
    let sizes = resources.iter().map(|resource| resource.min_size);
    let bytes = sizes.fold(0_u64, u64::saturating_add);
    invocations.is_some_and(|count| (1..=MAX_INVOCATIONS).contains(&count))
        && is_small(&point.workgroup_memory)
        && point.immediate_size == 0
        && are_buffers
        && bytes <= MAX_BUFFER_BYTES
}

/// The contents of the buffers after a run; `None` if it was stopped by a limit.
fn run(kernel: &Kernel, engine: Engine, stages: &Stages) -> Result<Option<Vec<Vec<u32>>>, Verdict> {
    let words = |bytes: u64| -> Vec<AtomicU32> {
        let count = (bytes + RUNTIME_BYTES).div_ceil(4) as u32;
        (0..count).map(|index| AtomicU32::new(index % 7)).collect()
    };
    let memory: Vec<_> = kernel
        .resources()
        .iter()
        .map(|resource| words(resource.min_size))
        .collect();
    let views: Vec<_> = memory.iter().map(|words| BufferView { words }).collect();
    let arguments = Arguments {
        buffers: &views,
        textures: &[],
        arrays: &[],
        immediates: &[],
        workgroup_count: WORKGROUPS,
    };
    let executor = Executor::new(&ExecutorOptions {
        threads: NonZeroUsize::new(1),
        watchdog: Some(RUN_LIMIT),
        dispatch_limit: Some(RUN_LIMIT),
        ..Default::default()
    });
    let stage = run_stage(engine);
    let done = stages.run(stage, || {
        executor.dispatch(&mut Runner::new(kernel), &arguments)
    });
    match done {
        Ok(()) => {
            let loaded = |words: &Vec<AtomicU32>| {
                words
                    .iter()
                    .map(|word| word.load(Ordering::Relaxed))
                    .collect()
            };
            Ok(Some(memory.iter().map(loaded).collect()))
        }
        Err(error @ (DispatchError::Internal { .. } | DispatchError::Binding(_))) => {
            Err(Verdict::wrong(stage, error.to_string()))
        }
        Err(_) => Ok(None),
    }
}
