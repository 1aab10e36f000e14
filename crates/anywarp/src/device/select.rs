//! Which adapter `--device` means.

pub(crate) use anywarp::adapters::all;

use anywarp_adapter::{AdapterOptions, Engine, SubgroupSize};

use crate::cli::CpuArgs;
use crate::error::{Error, listing};

/// The adapter that `--device` means, as [`anywarp::adapters::find`] has it.
pub(crate) fn select(wanted: &str, cpu: &CpuArgs) -> Result<wgpu::Adapter, Error> {
    let mut options = AdapterOptions::default();
    options.watchdog = cpu.watchdog.unwrap_or(options.watchdog);
    if let Some(engine) = cpu.engine {
        options.engine = engine.engine()?;
    }
    options.floats = cpu.floats();
    // The subgroup of code is its vector.
    let own_size = match options.engine {
        Engine::Code(target) => SubgroupSize::new(target.lanes()),
        _ => None,
    };
    let size = cpu.subgroup_size.or(own_size);
    options.subgroup_size = size.unwrap_or(options.subgroup_size);
    let found = anywarp::adapters::find(wanted, &options).ok_or_else(|| Error::NoDevice {
        wanted: wanted.to_owned(),
        available: listing(all().iter().map(|a| format!("`{}`", a.get_info().name))),
    })?;
    let info = found.get_info();
    match cpu {
        _ if is_ours(&info) => Ok(found),
        CpuArgs {
            watchdog: Some(_), ..
        } => Err(Error::NoWatchdog(info.name)),
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

/// Ours claims wgpu's no-op backend, since wgpu has no name for a backend it does not know.
pub(crate) fn is_ours(info: &wgpu::AdapterInfo) -> bool {
    info.backend == wgpu::Backend::Noop
}
