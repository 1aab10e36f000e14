//! Errors of devices.

/// Why a device cannot be used, or what it refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
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
    /// The adapter opens no device.
    #[error("device `{device}` cannot be opened: {reason}")]
    Unavailable {
        /// The adapter's name.
        device: String,
        /// wgpu's reason.
        reason: String,
    },
    /// The device, or wgpu's validation, refused an operation.
    #[error("device `{device}` refused {program}: {reason}")]
    Refused {
        /// The adapter's name.
        device: String,
        /// The program that was run.
        program: String,
        /// The innermost cause.
        reason: String,
    },
    /// The device was lost: a driver's fault, or a shader that does not end.
    #[error("device `{device}` was lost while running {program}: {reason}")]
    Lost {
        /// The adapter's name.
        device: String,
        /// The program that was run.
        program: String,
        /// The device's reason.
        reason: String,
    },
}

impl DeviceError {
    /// Puts the resource in question in front of the reason of a refusal.
    #[must_use]
    pub(crate) fn about(self, thing: &str) -> Self {
        match self {
            Self::Refused {
                device,
                program,
                reason,
            } => Self::Refused {
                device,
                program,
                reason: format!("{thing}: {reason}"),
            },
            other => other,
        }
    }
}
