//! Why a launch has no compiled form.

use crate::compile::CompileError;

/// Why the compiled tier does not take a launch. The bytecode tier may run it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotCompiled {
    /// The compiler refuses the kernel.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// The device lacks a feature that the kernel needs.
    #[error("the device has no {feature}")]
    Feature {
        /// The feature, as a noun.
        feature: &'static str,
    },
    /// The launch exceeds a limit of the device.
    #[error("{what}: the device's limit is {limit}")]
    Limit {
        /// What exceeds it, with its size.
        what: String,
        /// The limit.
        limit: u64,
    },
    /// A buffer, the state or the input has no words: devices bind no empty buffers.
    #[error("{what} has no data")]
    Empty {
        /// What is empty.
        what: String,
    },
    /// Threads share their linear memory.
    #[error("shared linear memory")]
    SharedMemory,
    /// The launch counts fuel.
    #[error("fuel")]
    Fuel,
    /// The device rejects the pipeline.
    #[error("the device rejects the kernel: {what}")]
    Pipeline {
        /// Its message.
        what: String,
    },
}
