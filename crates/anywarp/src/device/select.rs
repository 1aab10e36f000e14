//! Which adapter `--device` means.

pub(crate) use anywarp::adapters::all;

use anywarp_adapter::{AdapterOptions, is_cpu};

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
    options.subgroup_size = cpu.subgroup_size;
    let found = anywarp::adapters::find(wanted, &options).ok_or_else(|| Error::NoDevice {
        wanted: wanted.to_owned(),
        available: listing(all().iter().map(|a| format!("`{}`", a.get_info().name))),
    })?;
    let info = found.get_info();
    match cpu {
        _ if is_cpu(&found) => Ok(found),
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
