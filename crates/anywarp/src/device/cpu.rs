//! What other modules ask of the CPU adapter. Without the feature `cpu` no device is the CPU adapter's.

#[cfg(feature = "cpu")]
pub use anywarp_adapter::LostReason;

/// A `wgpu::Instance` whose only adapter is the CPU: no driver, no GPU. The rest of a wgpu program stays as it is.
#[cfg(feature = "cpu")]
#[must_use]
pub fn instance() -> wgpu::Instance {
    anywarp_adapter::instance()
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
#[cfg(feature = "cpu")]
#[must_use]
pub fn lost_reason(device: &wgpu::Device) -> Option<LostReason> {
    anywarp_adapter::lost_reason(device)
}

/// The message of [`lost_reason`].
pub(super) fn lost_message(device: &wgpu::Device) -> Option<String> {
    #[cfg(feature = "cpu")]
    return anywarp_adapter::lost_message(device);
    #[cfg(not(feature = "cpu"))]
    {
        let _ = device;
        None
    }
}
