//! The error of the verifier: the rule that a function breaks, and the location.

use std::fmt::{Display, Formatter, Result as Formatted};

use crate::ir::{BlockId, Type, Value};

/// The rule that a function breaks, and the location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{location}{rule}")]
pub struct VerifyError {
    pub(super) location: Location,
    pub(super) rule: BrokenRule,
}

/// Where a rule is broken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// In the function as a whole.
    Function,
    /// In the parameters of a block.
    Parameters(BlockId),
    /// In an instruction: its block, its index, its name and its result.
    Inst(String),
    /// In the terminator of a block.
    Terminator(BlockId),
}

impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> Formatted {
        match self {
            Self::Function => Ok(()),
            Self::Parameters(block) => write!(f, "{block}: "),
            Self::Inst(location) => write!(f, "{location}: "),
            Self::Terminator(block) => write!(f, "{block}, at its end: "),
        }
    }
}

/// A broken rule of the vector IR, without its location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BrokenRule {
    #[error("a function has 8 or 16 lanes, not {0}")]
    Lanes(u32),
    #[error("a frame has at most {max} bytes, not {bytes}")]
    FrameSize { max: u32, bytes: u32 },
    #[error("a function has at most {max} barriers, not {barriers}")]
    TooManyBarriers { max: u32, barriers: u32 },
    #[error("a function has at least one block")]
    NoBlock,
    #[error("b0: the first block has no parameters")]
    EntryParameters,
    #[error("p{index}: a pattern has a word for each of {lanes} lanes")]
    PatternLength { index: usize, lanes: u32 },
    #[error("{0} has no type")]
    NoType(Value),
    #[error("{0} is defined a second time")]
    Redefined(Value),
    #[error("{0} is never defined")]
    NotDefined(Value),
    #[error("{value} is not defined on every path to here, but in {block}")]
    NotDominated { value: Value, block: BlockId },
    #[error("{0} does not exist")]
    NoSuchBlock(BlockId),
    #[error("nothing leads to the first block")]
    EdgeToEntry,
    #[error("{0} follows a barrier and has parameters")]
    ParametersAfterBarrier(BlockId),
    #[error("it takes {expected} operands, not {found}")]
    OperandCount { expected: usize, found: usize },
    #[error("operand {index}, {operand}, is {}, not {}", a(*found), a(*expected))]
    OperandType {
        index: usize,
        operand: Value,
        found: Type,
        expected: Type,
    },
    #[error("its result is {}, not {}", a(*expected), a(*found))]
    ResultType { expected: Type, found: Type },
    #[error("it defines no value")]
    NoResult,
    #[error("it has no result")]
    UnexpectedResult,
    #[error("atomic sums of floats have 32 bits")]
    WideFloatSum,
    #[error("shifts are by 0 to 31")]
    Shift,
    #[error("there is no such lane")]
    NoSuchLane,
    #[error("there are no such lanes")]
    NoSuchLanes,
    #[error("there is no such pattern")]
    NoSuchPattern,
    #[error("axes are 0 to 2")]
    Axis,
    #[error("a function with barriers is not called for some lanes")]
    ActiveLanesWithBarriers,
    #[error("{bytes} bytes at {offset} are not in the frame, which has {frame}")]
    OutsideFrame { bytes: u32, offset: u32, frame: u32 },
    #[error("{offset} is not a multiple of {bytes} bytes")]
    Unaligned { offset: u32, bytes: u32 },
    #[error("{block} takes {expected} values, not {found}")]
    ArgumentCount {
        block: BlockId,
        expected: usize,
        found: usize,
    },
    #[error("{argument} for {parameter} of {block} is {}, not {}", a(*found), a(*expected))]
    ArgumentType {
        argument: Value,
        parameter: Value,
        block: BlockId,
        found: Type,
        expected: Type,
    },
    #[error("a branch is decided by a word or a mask, not by {}", a(*.0))]
    ConditionType(Type),
    #[error("there is no barrier {0}")]
    NoSuchBarrier(u32),
    #[error("it returns at barrier {0}, but the function does not resume")]
    ReturnWithoutResume(u32),
    #[error("a function either suspends or resumes")]
    SuspendAndResume,
    #[error("barriers are numbered from 1 to {count}, not {number}")]
    BarrierNumber { count: u32, number: u32 },
    #[error("barrier {0} is there twice")]
    DuplicateBarrier(u32),
    #[error("only the first block resumes")]
    ResumeOutsideEntry,
    #[error("it resumes at {expected} places, not {found}")]
    ResumeTargets { expected: usize, found: usize },
}

impl BrokenRule {
    /// The error at a location.
    pub(super) fn at(self, location: Location) -> VerifyError {
        VerifyError {
            location,
            rule: self,
        }
    }
}

/// A type with its article.
fn a(ty: Type) -> &'static str {
    match ty {
        Type::Word => "a word",
        Type::Pointer => "a pointer",
        Type::Lanes => "lanes",
        Type::Mask => "a mask",
    }
}
