//! Errors of what a caller passes to a runner: inputs, bind groups, local arguments.

use crate::layout::RUNTIME_GROUP;
use crate::model::{NodeId, RecordDifference};

/// What is wrong with an input or an option of a graph.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// The graph does not have the node.
    #[error("input {input}: there is no node `{node}`")]
    UnknownNode {
        /// The index of the input.
        input: usize,
        /// The node.
        node: NodeId,
    },
    /// The host can give records to entries only.
    #[error("input {input}: node `{node}` is not an entry")]
    NotAnEntry {
        /// The index of the input.
        input: usize,
        /// The node.
        node: NodeId,
    },
    /// The records are of another type than the node's.
    #[error("records of type `{found}` for node `{node}`, which takes `{expected}`: {difference}")]
    RecordMismatch {
        /// The node.
        node: NodeId,
        /// The record type of the node.
        expected: String,
        /// The type of the records that were given.
        found: String,
        /// The first difference between the two.
        difference: Box<RecordDifference>,
    },
    /// Records were given to a node that only counts them.
    #[error(
        "records of type `{found}` for node `{node}`, whose records are empty; give their number"
    )]
    EmptyRecordsExpected {
        /// The node.
        node: NodeId,
        /// The type of the records that were given.
        found: String,
    },
    /// A number of empty records was given to a node whose records are not empty.
    #[error("empty records for node `{node}`, which takes `{expected}`")]
    RecordsExpected {
        /// The node.
        node: NodeId,
        /// The record type of the node.
        expected: String,
    },
    /// The records overlap.
    #[error(
        "input {input} for node `{node}`: a stride of {stride} bytes is less than the record size, {record_bytes}"
    )]
    Stride {
        /// The index of the input.
        input: usize,
        /// The node.
        node: NodeId,
        /// The stride in bytes.
        stride: u64,
        /// The size of a record in bytes.
        record_bytes: u32,
    },
    /// There are fewer bytes than the records have.
    #[error(
        "input {input} for node `{node}`: {count} records need {needed} bytes, but there are {given}"
    )]
    TooFewBytes {
        /// The index of the input.
        input: usize,
        /// The node.
        node: NodeId,
        /// The number of records.
        count: u32,
        /// Their size in bytes.
        needed: u64,
        /// The number of bytes that were given.
        given: u64,
    },
    /// There are more inputs than the runner was created for.
    #[error("{inputs} inputs exceed `max_inputs`, {max}")]
    TooManyInputs {
        /// The number of inputs.
        inputs: u32,
        /// The maximum number.
        max: u32,
    },
    /// The inputs must be split to fit bindings, and then are too many.
    #[error(
        "the inputs need {parts} parts to fit the bindings of this device, which exceeds `max_inputs`, {max}"
    )]
    TooManyParts {
        /// The number of parts.
        parts: u32,
        /// The maximum number.
        max: u32,
    },
    /// An input on the device refers to too many buffers.
    #[error("{buffers} record buffers exceed the maximum of {max}")]
    TooManyBuffers {
        /// The number of buffers.
        buffers: usize,
        /// The maximum number.
        max: u32,
    },
    /// The descriptors of an input are not within their buffer.
    #[error(
        "descriptors of {words} words at byte {offset} do not fit into a buffer of {size} bytes, or are not aligned to four bytes"
    )]
    Descriptors {
        /// The size of the descriptors in words.
        words: u64,
        /// Their offset in bytes.
        offset: u64,
        /// The size of the buffer in bytes.
        size: u64,
    },
    /// A buffer of an input cannot be bound as a storage buffer.
    #[error("a buffer of an input lacks the usage STORAGE")]
    BufferUsage,
    /// A recorded run needs as much memory as the plan recommends.
    #[error("a recorded run is one sweep, which needs {needed} bytes; the plan has {planned}")]
    RecordingMemory {
        /// The number of bytes that a sweep needs.
        needed: u64,
        /// The number of bytes of the plan.
        planned: u64,
    },
    /// A recorded run cannot take its input in parts.
    #[error("a recorded run is one sweep, but the input has more records than `input_records`")]
    RecordingTooLarge,
    /// The number of bind groups differs from that of their layouts.
    #[error("{given} bind groups were given, but there are {layouts} layouts")]
    BindGroupCount {
        /// The number of bind groups.
        given: usize,
        /// The number of layouts.
        layouts: usize,
    },
    /// There are more layouts than the user has groups.
    #[error("{0} bind group layouts exceed the maximum of {RUNTIME_GROUP}")]
    TooManyLayouts(usize),
    /// The graph has no such stage.
    #[error("there is no node `{node}` at recursion step {step}")]
    UnknownStage {
        /// The node.
        node: NodeId,
        /// The step of its recursion.
        step: u32,
    },
    /// Rows of local arguments are words.
    #[error("a stride of {0} bytes between rows of local arguments is not a multiple of four")]
    LocalStride(u32),
    /// A node's row is outside the table.
    #[error("node `{node}` uses row {row} of the local arguments, which have only {bytes} bytes")]
    LocalRow {
        /// The node.
        node: NodeId,
        /// The row.
        row: u32,
        /// The size of the table in bytes.
        bytes: usize,
    },
    /// The table of local arguments has more than 2^32 words.
    #[error("the local arguments are too large")]
    LocalSize,
}
