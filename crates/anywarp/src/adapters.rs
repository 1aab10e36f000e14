//! Which devices there are, and which one a name means. Everything else is plain wgpu.
//!
//! In: the value of `--device`. Out: an adapter: ours, the CPU, or one of an installed
//! driver. Without a driver there is ours alone.

use anywarp_adapter::AdapterOptions;

/// Every adapter: ours first, then those of installed drivers, real GPUs before software ones.
#[must_use]
pub fn all() -> Vec<wgpu::Adapter> {
    let mut adapters = vec![ours(&AdapterOptions::default())];
    adapters.extend(drivers());
    adapters
}

/// The adapter that a text means: `cpu` is ours, `gpu` the best of the installed drivers, and any other
/// text a part of a name, in whatever case. The options are for ours.
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

/// The CPU, without a driver.
fn ours(options: &AdapterOptions) -> wgpu::Adapter {
    anywarp_adapter::adapter(options.clone())
}

/// Every adapter of an installed driver, real GPUs before software ones.
#[must_use]
pub fn drivers() -> Vec<wgpu::Adapter> {
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
