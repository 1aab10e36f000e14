//! Which adapter `--device` means.

use std::time::Duration;

pub(crate) use anywarp::adapters::all;

use crate::error::{Error, listing};

/// The adapter that `--device` means, as [`anywarp::adapters::find`] has it.
pub(crate) fn select(wanted: &str, watchdog: Option<Duration>) -> Result<wgpu::Adapter, Error> {
    let found = anywarp::adapters::find(wanted, watchdog).ok_or_else(|| Error::NoDevice {
        wanted: wanted.to_owned(),
        available: listing(all().iter().map(|a| format!("`{}`", a.get_info().name))),
    })?;
    if watchdog.is_some() && !is_ours(&found.get_info()) {
        return Err(Error::NoWatchdog(found.get_info().name));
    }
    Ok(found)
}

/// Ours claims wgpu's no-op backend, since wgpu has no name for a backend it does not know.
pub(super) fn is_ours(info: &wgpu::AdapterInfo) -> bool {
    info.backend == wgpu::Backend::Noop
}
