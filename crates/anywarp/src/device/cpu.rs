//! What other modules ask of the CPU adapter. Without the feature `cpu` no device is the CPU adapter's.

#[cfg(feature = "cpu")]
pub use anywarp_adapter::LostReason;

use super::DeviceLoss;

/// A `wgpu::Instance` whose only adapter is the CPU: no driver, no GPU. The rest of a wgpu program stays as it is.
#[cfg(feature = "cpu")]
#[must_use]
pub fn instance() -> wgpu::Instance {
    anywarp_adapter::instance()
}

/// [`instance()`] with options for its adapter: the engine, the number of threads, limits on time.
///
/// ```
/// use anywarp::{AdapterOptions, Floats};
///
/// let instance = anywarp::instance_with(AdapterOptions::default().threads(2).floats(Floats::Strict));
/// # drop(instance);
/// ```
#[cfg(feature = "cpu")]
#[must_use]
pub fn instance_with(options: anywarp_adapter::AdapterOptions) -> wgpu::Instance {
    anywarp_adapter::instance_with(options)
}

/// Whether an adapter is the CPU adapter of this library.
#[must_use]
pub fn is_cpu(adapter: &wgpu::Adapter) -> bool {
    #[cfg(feature = "cpu")]
    return anywarp_adapter::is_cpu(adapter);
    #[cfg(not(feature = "cpu"))]
    {
        let _ = adapter;
        false
    }
}

/// Why a device of the CPU adapter was lost: which entry point failed, where and how. `None` while the device is
/// alive, and for devices of other adapters, which report a loss to wgpu's callback only.
///
/// ```
/// use std::time::Duration;
///
/// use anywarp::{AdapterOptions, Device, LostReason, Shader, adapter::LossReport};
///
/// let options = AdapterOptions::default().watchdog(Duration::from_millis(50));
/// let device = Device::cpu_with(options.loss_report(LossReport::Log))?;
/// let endless = Shader::wgsl(
///     "@group(0) @binding(0) var<storage, read_write> turns: u32;
///      @compute @workgroup_size(1) fn main() { while turns != 1u { turns += 2u; } }",
/// )?;
/// let mut turns = [0_u32];
/// let dispatch = endless.only_entry()?.bind("turns", &mut turns);
/// let error = dispatch.dispatch_on(&device, [1, 1, 1]).unwrap_err();
/// let Some(LostReason::Endless(message)) = anywarp::lost_reason(&device) else { panic!("{error}") };
/// assert!(message.contains("shader.wgsl:2"), "{message}");
/// # Ok::<(), anywarp::ShaderError>(())
/// ```
#[cfg(feature = "cpu")]
#[must_use]
pub fn lost_reason(device: &wgpu::Device) -> Option<LostReason> {
    anywarp_adapter::lost_reason(device)
}

/// The same for every device; `None` for devices of other adapters.
pub(super) fn loss(device: &wgpu::Device) -> Option<DeviceLoss> {
    #[cfg(feature = "cpu")]
    return lost_reason(device).map(DeviceLoss::Cpu);
    #[cfg(not(feature = "cpu"))]
    {
        let _ = device;
        None
    }
}
