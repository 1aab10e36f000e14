//! Errors of devices. Each keeps the error of wgpu, or the reason of the CPU device, as its source.

use std::error::Error;
use std::sync::Arc;

/// Why a device cannot be used, or what it refused.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// No adapter has this name.
    #[error("no device matches `{wanted}`; there is {available}")]
    NotFound {
        /// The name that was looked for.
        wanted: String,
        /// The names of all adapters.
        available: String,
    },
    /// No adapter has this name, and wgpu was compiled without back ends for GPUs.
    #[error(
        "no device matches `{wanted}`; there is {available}, and GPUs need the feature `drivers` of anywarp"
    )]
    NoDrivers {
        /// The name that was looked for.
        wanted: String,
        /// The names of all adapters.
        available: String,
    },
    /// The adapter opens no device.
    #[error("device `{device}` cannot be opened: {source}")]
    Unavailable {
        /// The adapter's name.
        device: String,
        /// wgpu's reason.
        source: wgpu::RequestDeviceError,
    },
    /// The device, or wgpu's validation, refused an operation.
    #[error("device `{device}` refused {program}: {reason}")]
    Refused {
        /// The adapter's name.
        device: String,
        /// The program that was run.
        program: String,
        /// The innermost cause, after the resource in question.
        reason: String,
        /// The error of wgpu. `None` for a panic in one of its back ends.
        source: Option<Arc<dyn Error + Send + Sync>>,
    },
    /// The device was lost: a driver's fault, or a shader that does not end.
    #[error("device `{device}` was lost while running {program}: {source}")]
    Lost {
        /// The adapter's name.
        device: String,
        /// The program that was run.
        program: String,
        /// The device's reason.
        source: DeviceLoss,
    },
}

/// Why a device was lost.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceLoss {
    /// The CPU device: an endless loop, a limit, an error in the shader, or a bug.
    #[cfg(feature = "cpu")]
    #[error(transparent)]
    Cpu(#[from] crate::LostReason),
    /// The program has destroyed the device.
    #[error("it was destroyed")]
    Destroyed,
    /// The message of a driver.
    #[error("{0}")]
    Driver(String),
}

impl DeviceError {
    /// Puts the resource in question in front of the reason of a refusal.
    #[must_use]
    pub(crate) fn about(mut self, thing: &str) -> Self {
        if let Self::Refused { reason, .. } = &mut self {
            *reason = format!("{thing}: {reason}");
        }
        self
    }
}
