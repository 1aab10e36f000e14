//! The loss of a device: it happens once, and it has a reason.
//!
//! The queue's thread records it. From then on its jobs only release their fences, mapping fails, and
//! the next poll or submit tells wgpu-core (through `check_if_oom`, the one question it asks after it
//! resolved what was pending; an error from a wait would make `wgpu::Device::poll` panic).

use std::sync::OnceLock;

use wgpu::hal::DeviceError;

/// Whether a device is lost, and why.
#[derive(Debug, Default)]
pub(crate) struct Loss {
    message: OnceLock<String>,
}

impl Loss {
    /// Loses the device. Only the first message counts.
    pub(crate) fn lose(&self, message: String) {
        if self.message.set(message).is_ok() {
            log::error!("CPU device lost: {}", self.message().unwrap_or_default());
        }
    }

    /// The reason, once the device is lost.
    pub(crate) fn message(&self) -> Option<String> {
        self.message.get().cloned()
    }

    /// An error once the device is lost.
    pub(crate) fn check(&self) -> Result<(), DeviceError> {
        match self.message.get() {
            Some(_) => Err(DeviceError::Lost),
            None => Ok(()),
        }
    }
}
