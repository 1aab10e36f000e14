//! Finds wgpu adapters by name: the CPU adapter of this library and those of installed drivers.
//!
//! In: a name. Out: a [`wgpu::Adapter`]; everything after that is plain wgpu. With the feature `cpu` the CPU adapter
//! always exists, also where no driver is installed; drivers are found with the feature `drivers`.

use super::DeviceError;

/// Every adapter: the CPU adapter first, then those of installed drivers, real GPUs before software renderers.
#[must_use]
pub fn devices() -> Vec<wgpu::Adapter> {
    let mut adapters: Vec<_> = cpu().into_iter().collect();
    adapters.extend(drivers());
    adapters
}

/// The adapter that `text` selects: `cpu` is the CPU adapter, `gpu` the best adapter of the installed drivers, and
/// any other text a part of an adapter's name, in upper or lower case.
#[must_use]
pub fn find(text: &str) -> Option<wgpu::Adapter> {
    find_beside(text, cpu())
}

/// [`find()`] with a CPU adapter that has options.
#[cfg(feature = "cpu")]
#[must_use]
pub fn find_with(text: &str, options: &anywarp_adapter::AdapterOptions) -> Option<wgpu::Adapter> {
    find_beside(text, Some(anywarp_adapter::adapter(options.clone())))
}

fn find_beside(text: &str, cpu: Option<wgpu::Adapter>) -> Option<wgpu::Adapter> {
    let named = |adapter: &wgpu::Adapter| is_named(adapter, text);
    match text {
        "cpu" => cpu,
        "gpu" => best(),
        _ => cpu
            .filter(named)
            .or_else(|| drivers().into_iter().find(named)),
    }
}

/// The best adapter of the installed drivers, if there are any.
#[must_use]
pub fn best() -> Option<wgpu::Adapter> {
    drivers().into_iter().next()
}

/// Every adapter of the installed drivers, real GPUs before software renderers.
#[must_use]
pub fn drivers() -> Vec<wgpu::Adapter> {
    // Without a back end of wgpu there are no drivers to ask, and creating an instance panics.
    if wgpu::Instance::enabled_backend_features().is_empty() {
        return Vec::new();
    }
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        // Validation layers of a driver are meant for wgpu's developers, not for users of this crate.
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let mut adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    adapters.sort_by_key(|adapter| std::cmp::Reverse(rank(adapter)));
    adapters
}

/// Adapters in ascending order of preference: software renderers, the CPU adapter, GPUs.
pub(super) fn rank(adapter: &wgpu::Adapter) -> u8 {
    rank_of(adapter.get_info().device_type, super::is_cpu(adapter))
}

fn rank_of(device_type: wgpu::DeviceType, is_ours: bool) -> u8 {
    match device_type {
        wgpu::DeviceType::DiscreteGpu => 5,
        wgpu::DeviceType::IntegratedGpu => 4,
        wgpu::DeviceType::VirtualGpu => 3,
        wgpu::DeviceType::Other => 2,
        wgpu::DeviceType::Cpu if is_ours => 1,
        wgpu::DeviceType::Cpu => 0,
    }
}

/// The error that no adapter has a name.
pub(super) fn not_found(wanted: &str) -> DeviceError {
    let names = devices()
        .iter()
        .map(|adapter| format!("`{}`", adapter.get_info().name))
        .collect::<Vec<_>>();
    let available = if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    };
    let has_drivers = wgpu::Instance::enabled_backend_features().intersects(DRIVERS);
    not_found_among(wanted.to_owned(), available, has_drivers)
}

/// wgpu's back ends for GPUs.
const DRIVERS: wgpu::Backends = wgpu::Backends::PRIMARY.union(wgpu::Backends::GL);

fn not_found_among(wanted: String, available: String, has_drivers: bool) -> DeviceError {
    if has_drivers {
        DeviceError::NotFound { wanted, available }
    } else {
        DeviceError::NoDrivers { wanted, available }
    }
}

fn is_named(adapter: &wgpu::Adapter, text: &str) -> bool {
    let name = adapter.get_info().name.to_lowercase();
    name.contains(&text.to_lowercase())
}

/// The CPU adapter, which needs no driver.
fn cpu() -> Option<wgpu::Adapter> {
    #[cfg(feature = "cpu")]
    return Some(anywarp_adapter::adapter(Default::default()));
    #[cfg(not(feature = "cpu"))]
    None
}

#[cfg(test)]
mod tests {
    use wgpu::DeviceType::{Cpu, DiscreteGpu, IntegratedGpu, Other, VirtualGpu};

    use super::{not_found_among, rank_of};

    #[test]
    fn without_drivers_the_error_names_their_feature() {
        let message = |has_drivers| {
            not_found_among("gpu".to_owned(), "`AMD EPYC`".to_owned(), has_drivers).to_string()
        };
        assert_eq!(
            message(true),
            "no device matches `gpu`; there is `AMD EPYC`"
        );
        assert_eq!(
            message(false),
            "no device matches `gpu`; there is `AMD EPYC`, and GPUs need the feature `drivers` of anywarp"
        );
    }

    #[test]
    fn gpus_come_before_the_cpu_and_the_cpu_before_software_renderers() {
        let ascending = [
            (Cpu, false),
            (Cpu, true),
            (Other, false),
            (VirtualGpu, false),
            (IntegratedGpu, false),
            (DiscreteGpu, false),
        ];
        let ranks = ascending.map(|(device_type, is_ours)| rank_of(device_type, is_ours));
        assert!(ranks.is_sorted_by(|a, b| a < b), "{ranks:?}");
    }
}
