//! Finds wgpu adapters by name: the CPU adapter of this crate and those of installed drivers.
//!
//! In: the value of `--device`. Out: a [`wgpu::Adapter`]; everything after that is plain wgpu. The CPU adapter always
//! exists, also where no driver is installed.

use anywarp_adapter::AdapterOptions;

/// Every adapter: the CPU adapter first, then those of installed drivers, real GPUs before software renderers.
#[must_use]
pub fn all() -> Vec<wgpu::Adapter> {
    let mut adapters = vec![ours(&AdapterOptions::default())];
    adapters.extend(drivers());
    adapters
}

/// The adapter that `text` selects: `cpu` is the CPU adapter, `gpu` the best adapter of the installed drivers, and
/// any other text a part of an adapter's name, in upper or lower case. `options` apply to the CPU adapter only.
#[must_use]
pub fn find(text: &str, options: &AdapterOptions) -> Option<wgpu::Adapter> {
    let named = |adapter: &wgpu::Adapter| is_named(adapter, text);
    match text {
        "cpu" => Some(ours(options)),
        "gpu" => best(),
        _ => Some(ours(options))
            .filter(named)
            .or_else(|| drivers().into_iter().find(named)),
    }
}

/// The best adapter of the installed drivers, if there are any.
#[must_use]
pub fn best() -> Option<wgpu::Adapter> {
    drivers().into_iter().next()
}

fn is_named(adapter: &wgpu::Adapter, text: &str) -> bool {
    let name = adapter.get_info().name.to_lowercase();
    name.contains(&text.to_lowercase())
}

/// The CPU adapter, which needs no driver.
fn ours(options: &AdapterOptions) -> wgpu::Adapter {
    anywarp_adapter::adapter(options.clone())
}

/// Every adapter of the installed drivers, real GPUs before software renderers.
#[must_use]
pub fn drivers() -> Vec<wgpu::Adapter> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        // Validation layers of a driver are meant for wgpu's developers, not for users of this crate.
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
