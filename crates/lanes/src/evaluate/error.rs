//! Errors of an evaluation.

use super::memory::MemoryRegion;
use crate::ir::{BlockId, Inst, Value};
use crate::text;
use crate::verify::VerifyError;

/// Why an evaluation stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// The function does not pass the verifier.
    #[error("the function breaks a rule: {0}")]
    Broken(#[from] VerifyError),
    /// An instruction did something that is not allowed, such as an access out of bounds.
    #[error("{place}: {source}")]
    Instruction {
        /// The block and the instruction.
        place: String,
        /// What the instruction did.
        source: InstructionError,
    },
    /// The budget of steps is used up.
    #[error("the budget of steps is used up in {0}")]
    Budget(BlockId),
    /// Subgroups of a workgroup came to different barriers, or only some of them ended.
    #[error("subgroup {subgroup} ended with {found}, subgroup 0 with {expected}")]
    Diverged {
        /// The first subgroup with another outcome.
        subgroup: u32,
        /// The outcome of that subgroup.
        found: u32,
        /// The outcome of the first subgroup.
        expected: u32,
    },
}

/// What an instruction did that is not allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InstructionError {
    /// It accessed a word outside a memory.
    #[error("it touches word {word} of {region}, which has {words}")]
    OutOfBounds {
        /// The index of the word.
        word: i64,
        /// The memory.
        region: MemoryRegion,
        /// The words of the memory.
        words: usize,
    },
    /// It wrote to a memory that is only read.
    #[error("it writes to {0}")]
    ReadOnly(MemoryRegion),
    /// It named a buffer that does not exist.
    #[error("there is no buffer {0}")]
    NoBuffer(u32),
    /// It called a function that does not exist.
    #[error("there is no function {0}")]
    NoFunction(u32),
    /// The limit of a row was too large.
    #[error("its limit is more than 2^31")]
    Limit,
    /// An index was too large.
    #[error("its index {0} is not below 2^31")]
    Index(u32),
    /// It accessed a slot in a part of the frame that does not exist.
    #[error("there is no part of the frame {0} bytes from its beginning")]
    NoFramePart(u32),
    /// It loaded a frame slot to which nothing was stored.
    #[error("nothing is stored at {0}")]
    EmptySlot(u32),
    /// It loaded a frame slot that holds a value of another type.
    #[error("the value at {0} is of another type")]
    SlotType(u32),
    /// It used a value that has not been computed.
    #[error("{0} is not there")]
    NoValue(Value),
    /// It used a value of another type.
    #[error("{value} is not {expected}")]
    ValueType {
        /// The value.
        value: Value,
        /// The expected type, with its article.
        expected: &'static str,
    },
    /// The evaluator does not implement the instruction.
    #[error("the evaluator does not know it")]
    Unknown,
}

impl InstructionError {
    /// The error at an instruction.
    pub(super) fn at(self, block: BlockId, index: usize, inst: &Inst) -> EvaluateError {
        EvaluateError::Instruction {
            place: text::location(block, index, inst),
            source: self,
        }
    }
}
