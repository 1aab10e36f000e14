//! Which adapters there are, and which one `--device` means.

use std::time::Duration;

use anywarp_adapter::AdapterOptions;

use crate::error::{Error, listing};

/// Every adapter: ours first, then those of installed drivers.
pub(crate) fn all() -> Vec<wgpu::Adapter> {
    let mut adapters = vec![ours(None)];
    adapters.extend(drivers());
    adapters
}

/// The adapter that `--device` means: `cpu` is ours, `gpu` the best of the installed drivers, and
/// any other text a part of a name, in whatever case.
pub(crate) fn select(wanted: &str, watchdog: Option<Duration>) -> Result<wgpu::Adapter, Error> {
    let named = |adapter: &wgpu::Adapter| is_named(adapter, wanted);
    let found = match wanted {
        "cpu" => Some(ours(watchdog)),
        "gpu" => drivers().into_iter().next(),
        _ => Some(ours(watchdog))
            .filter(named)
            .or_else(|| drivers().into_iter().find(named)),
    };
    let found = found.ok_or_else(|| Error::NoDevice {
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

fn is_named(adapter: &wgpu::Adapter, text: &str) -> bool {
    let name = adapter.get_info().name.to_lowercase();
    name.contains(&text.to_lowercase())
}

/// The CPU, without a driver.
fn ours(watchdog: Option<Duration>) -> wgpu::Adapter {
    let mut options = AdapterOptions::default();
    options.watchdog = watchdog.unwrap_or(options.watchdog);
    anywarp_adapter::adapter(options)
}

/// Adapters of installed drivers, real GPUs before software ones. Without a driver there are none.
fn drivers() -> Vec<wgpu::Adapter> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        // Validation layers of a driver are for the developers of wgpu, not for our users.
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let mut adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    adapters.sort_by_key(|adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    });
    adapters
}
