//! Selects the adapter for `--device`.

pub(crate) use anywarp::devices as all;

use anywarp_adapter::{AdapterOptions, LossReport, Schedule, is_cpu};

use crate::cli::CpuArgs;
use crate::engine::EngineChoice;
use crate::error::{Error, listing};

/// The adapter for `--device`, found by [`anywarp::adapters::find_with`].
pub(crate) fn select(wanted: &str, cpu: &CpuArgs) -> Result<wgpu::Adapter, Error> {
    let mut options = AdapterOptions::default();
    if let Some(watchdog) = cpu.watchdog {
        options.watchdog = watchdog.time();
    }
    if let Some(limit) = cpu.limit {
        options.dispatch_limit = limit.time();
    }
    if let Some(steps) = cpu.compile_steps {
        options.compile_limits = options.compile_limits.with_steps(steps);
    }
    if let Some(bytes) = cpu.max_frame_memory {
        options.max_frame_bytes = bytes;
    }
    // The command reports this itself.
    options.loss_report = LossReport::Log;
    if let Some(engine) = cpu.engine {
        options.engine = engine.engine()?;
    }
    options.schedule = schedule(cpu)?;
    options.floats = cpu.floats();
    options.subgroup_size = cpu.subgroup_size;
    let found = anywarp::adapters::find_with(wanted, &options).ok_or_else(|| Error::NoDevice {
        wanted: wanted.to_owned(),
        available: listing(all().iter().map(|a| format!("`{}`", a.get_info().name))),
    })?;
    let info = found.get_info();
    match cpu {
        _ if is_cpu(&found) => Ok(found),
        CpuArgs {
            watchdog: Some(_), ..
        } => Err(Error::NoWatchdog("--watchdog", info.name)),
        CpuArgs {
            compile_steps: Some(_),
            ..
        } => Err(Error::NoCompileSteps(info.name)),
        CpuArgs {
            max_frame_memory: Some(_),
            ..
        } => Err(Error::NoFrameMemory(info.name)),
        CpuArgs { limit: Some(_), .. } => Err(Error::NoWatchdog("--limit", info.name)),
        CpuArgs {
            schedule: Some(_), ..
        } => Err(Error::NoSchedule(info.name)),
        CpuArgs {
            subgroup_size: Some(_),
            ..
        } => Err(Error::NoSubgroupSize(info.name)),
        CpuArgs {
            engine: Some(_), ..
        } => Err(Error::NoEngine(info.name)),
        CpuArgs {
            strict_float: true, ..
        } => Err(Error::NoStrictFloat(info.name)),
        _ => Ok(found),
    }
}

/// The order of workgroups and invocations. A random order needs the interpreter and implies it.
fn schedule(cpu: &CpuArgs) -> Result<Schedule, Error> {
    let is_drawn = matches!(cpu.schedule, Some(Schedule::Random(_)));
    match cpu.engine {
        Some(engine) if is_drawn && engine != EngineChoice::Interpret => Err(Error::Argument {
            option: "--schedule random",
            reason: "only the interpreter draws an order: give --engine interpret, or no --engine"
                .to_owned(),
        }),
        _ => Ok(cpu.schedule.unwrap_or_default()),
    }
}
