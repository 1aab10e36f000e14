//! Errors, one enum for each phase: building, submitting, and executing a batch.
//!
//! What always holds: an error with a source does not repeat the text of the source.

#[cfg(feature = "shaders")]
use std::sync::Arc;

use crate::schedule::BatchId;

/// Why slots, a runner or a batch cannot be created.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The descriptor asks for zero slots.
    #[error("at least one slot is needed")]
    NoSlots,
    /// The shared lock has fewer slots left than were asked for.
    #[error("{asked} slots requested, but the lock has {free} left")]
    TooFewSlots {
        /// Number of slots requested.
        asked: u32,
        /// Number of slots that have no owner yet.
        free: u32,
    },
    /// A result range that cannot be read.
    #[error("result range {index}: {problem}")]
    Results {
        /// Index of the range.
        index: usize,
        /// What is wrong with it.
        problem: RangeProblem,
    },
    /// A buffer exceeds a limit of the device.
    #[error("{bytes} bytes of {what} exceed the device's limit of {limit}")]
    Limit {
        /// The name of the buffer.
        what: &'static str,
        /// Its size in bytes.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Two of the bindings have the same number.
    #[error("the bindings of lock, info and params must differ")]
    SameBindings,
    /// A pass sets the bind group that belongs to the batch.
    #[error("pass {pass} sets bind group {group}, which is reserved for the batch")]
    GroupTaken {
        /// Index of the pass.
        pass: usize,
        /// Index of the bind group.
        group: u32,
    },
    /// A timeout needs a clock, and this platform has no default clock.
    #[error("a timeout needs a clock on this platform: set one in the descriptor")]
    NoClock,
    /// The user binds a resource in the group of the batch.
    #[error("bind group {group} is reserved for the batch; use another one")]
    ReservedGroup {
        /// Index of the bind group.
        group: u32,
    },
    /// A whole bind group is given for a group that also has single buffers, or twice.
    #[error("bind group {group} is bound twice")]
    DuplicateGroup {
        /// Index of the bind group.
        group: u32,
    },
    /// Two buffers have the same binding.
    #[error("group {group}, binding {binding} is bound twice")]
    DuplicateBinding {
        /// Index of the bind group.
        group: u32,
        /// The binding.
        binding: u32,
    },
    /// No pass uses the binding.
    #[error("no pass uses group {group}, binding {binding}")]
    UnusedBinding {
        /// Index of the bind group.
        group: u32,
        /// The binding.
        binding: u32,
    },
    /// A pass cannot be created.
    #[cfg(feature = "shaders")]
    #[error("pass {pass}")]
    Pass {
        /// Index of the pass.
        pass: usize,
        /// The reason.
        source: PassError,
    },
}

/// What is wrong with a result range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RangeProblem {
    /// It has no bytes.
    #[error("it is empty")]
    Empty,
    /// Its offset or size is not a number of words.
    #[error("offset and size must be multiples of 4")]
    Alignment,
    /// It is not within its buffer.
    #[error("it extends past the end of its buffer")]
    PastEnd,
    /// Its buffer cannot be bound as a storage buffer.
    #[error("its buffer lacks STORAGE usage")]
    Usage,
    /// Its size is not a multiple of the size of its elements.
    #[error("its size is not a multiple of its elements, which have {element} bytes")]
    Elements {
        /// Size of an element in bytes.
        element: usize,
    },
}

/// Why the pipeline of a pass cannot be created.
#[cfg(feature = "shaders")]
#[derive(Clone, Debug, thiserror::Error)]
#[error("entry point `{entry_point}` of `{shader}`")]
pub struct PassError {
    /// The label of the shader.
    pub shader: String,
    /// The name of the entry point.
    pub entry_point: String,
    /// What is wrong.
    #[source]
    pub problem: PassProblem,
}

/// What is wrong with a pass.
#[cfg(feature = "shaders")]
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PassProblem {
    /// The shader does not compile.
    #[error("line {line}, column {column}")]
    Wgsl {
        /// The one-based line in the user's text.
        line: u32,
        /// The one-based column.
        column: u32,
        /// naga's error.
        source: Box<naga::front::wgsl::ParseError>,
    },
    /// The shader does not have the entry point, or it is not a compute shader.
    #[error("there is no such compute entry point; there is {}", listing(.available))]
    NoEntryPoint {
        /// The compute entry points that the shader has.
        available: Vec<String>,
    },
    /// The entry point does not check the guard.
    #[error(
        "it never calls `batch_is_active()`, so it would run for batches that do not hold the lock; begin with `if !batch_is_active() {{ return; }}`, or declare the shader `unguarded` if it needs no guard"
    )]
    Unguarded,
    /// A variable has no buffer.
    #[error("`{variable}` (group {group}, binding {binding}) is not bound")]
    MissingBinding {
        /// The variable.
        variable: String,
        /// Index of the bind group.
        group: u32,
        /// The binding.
        binding: u32,
    },
    /// The variable is a texture or a sampler.
    #[error(
        "`{variable}` (group {group}, binding {binding}) is not a buffer; give a whole bind group with `bind_group`"
    )]
    NotABuffer {
        /// The variable.
        variable: String,
        /// Index of the bind group.
        group: u32,
        /// The binding.
        binding: u32,
    },
    /// The buffer cannot be bound as the variable is declared.
    #[error(
        "the buffer of `{variable}` (group {group}, binding {binding}) lacks the usage {usage}"
    )]
    BufferUsage {
        /// The variable.
        variable: String,
        /// Index of the bind group.
        group: u32,
        /// The binding.
        binding: u32,
        /// The name of the missing usage.
        usage: &'static str,
    },
    /// The buffer is smaller than the type of the variable.
    #[error(
        "`{variable}` (group {group}, binding {binding}) needs {needed} bytes, but its buffer has {given}"
    )]
    BufferSize {
        /// The variable.
        variable: String,
        /// Index of the bind group.
        group: u32,
        /// The binding.
        binding: u32,
        /// Size of the type in bytes; of an array without a size, that of one element.
        needed: u64,
        /// Size of the buffer in bytes.
        given: u64,
    },
    /// The parameters have another size in the shader.
    #[error("the parameters `{variable}` have {declared} bytes in the shader, but {given} in Rust")]
    ParamsSize {
        /// The variable.
        variable: String,
        /// The size in the shader.
        declared: u64,
        /// The size in Rust.
        given: u64,
    },
    /// The dispatch is too large.
    #[error("{}x{}x{} workgroups exceed the device's limit of {limit} in each dimension", .count[0], .count[1], .count[2])]
    Workgroups {
        /// The number of workgroups in each dimension.
        count: [u32; 3],
        /// The device's limit.
        limit: u32,
    },
    /// The device rejected the pipeline.
    #[error("the device rejected it")]
    Device {
        /// The device's error.
        source: Arc<wgpu::Error>,
    },
}

/// Names in a message.
#[cfg(feature = "shaders")]
fn listing(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// Why a batch was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SubmitError {
    /// Every slot is in use, or as many uncollected results as there are slots. Collect a result
    /// and try again.
    #[error("all slots are in use")]
    Full,
    /// The parameters have another size than the descriptor declares.
    #[error("{given} bytes of parameters given, but the descriptor declares {expected}")]
    ParamsSize {
        /// Bytes given.
        given: usize,
        /// Bytes declared in the descriptor.
        expected: u32,
    },
    /// The device is lost.
    #[error("the device is lost: {message}")]
    DeviceLost {
        /// The device's message.
        message: String,
    },
}

/// The parameters of a batch cannot be uploaded: the device is lost, or the slot is still in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an upload failed")]
pub struct UploadError;

/// Why a batch failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchError {
    /// The batch took longer than the descriptor allows. If it was in flight, it may have been
    /// applied or may still be applied; its results are dropped.
    #[error("the batch timed out")]
    TimedOut,
    /// The device is lost.
    #[error("the device is lost: {message}")]
    DeviceLost {
        /// The device's message.
        message: String,
    },
    /// The submission returned without having run: the device refused it and reported a validation
    /// error to wgpu's error handler.
    #[error("the device refused the submission")]
    Refused,
    /// The runner was dropped while the batch was pending.
    #[error("the runner was dropped")]
    Dropped,
}

/// A batch that failed, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("batch {id}: {error}")]
pub struct Failed {
    /// The batch.
    pub id: BatchId,
    /// The reason.
    pub error: BatchError,
}
