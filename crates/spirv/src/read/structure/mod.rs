//! Structured control flow reconstruction: from basic blocks to nested statements.
//!
//! In: the basic blocks of a function with their merge instructions. Out: a tree of [`Node`]s. Two passes: `regions`
//! walks the control flow graph by its merge instructions and classifies each branch by the construct that it leaves
//! or continues; `exit_lowering` then lowers these branches to `break` and `continue`, with flag variables where one
//! branch leaves several WGSL statements. `switch_fallthrough` orders switch cases that fall through.
//!
//! Each block occurs once in the tree. Every path executes the same blocks in the same order as in the module, across
//! the same edges.

mod exit_lowering;
mod list_arena;
mod regions;
mod switch_fallthrough;

use crate::error::Result;
use crate::module::{Function, Id, Module};

pub(crate) use list_arena::{List, ListArena};

/// Index of a block in its function.
pub(crate) type BlockIndex = usize;

/// Index of a flag: an integer variable that records the target of a branch out of several constructs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Flag(pub(crate) u32);

/// A statement of the structured program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// The phis and the body of a block, without its terminator.
    Block(BlockIndex),
    /// A control flow edge to a block with phis: assigns the phis their values (phi elimination).
    Edge {
        from: BlockIndex,
        to: BlockIndex,
    },
    /// An `if` on the condition of the block's `OpBranchConditional`.
    If {
        block: BlockIndex,
        accept: List,
        reject: List,
    },
    /// A `switch` on the selector of the block's `OpSwitch`.
    Switch {
        block: BlockIndex,
        cases: Vec<Case>,
    },
    /// A block that executes once and that `Break` leaves.
    Breakable(List),
    Loop {
        body: List,
        continuing: List,
        break_if: BreakIf,
    },
    Break,
    Continue,
    /// Assigns a flag. Flags are integers, 0 initially.
    SetFlag(Flag, u32),
    /// Executes the list if the flag has this value.
    IfFlag(Flag, u32, List),
    /// The terminator of a block that leaves the function: a return, a kill or `OpUnreachable`.
    Terminator(BlockIndex),
}

/// A case of a [`Node::Switch`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    /// The case literals, zero-extended to 64 bits.
    pub(crate) values: Vec<u64>,
    pub(crate) is_default: bool,
    pub(crate) body: List,
    /// Whether control falls through into the next case.
    pub(crate) falls_through: bool,
}

/// The `break if` at the end of `continuing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BreakIf {
    /// None; the loop ends by a jump in its body.
    Never,
    /// None, and the loop is infinite. WGSL rejects loops without an exit, so it gets one that is never taken.
    Endless,
    /// Breaks if the branch condition of this block equals `is`.
    Condition { block: BlockIndex, is: bool },
}

/// The structured program of a function.
#[derive(Debug)]
pub(crate) struct Structure {
    pub(crate) arena: ListArena<Node>,
    pub(crate) nodes: List,
}

/// Reconstructs the structured control flow of a function.
///
/// `selector_words` returns the number of words of a case literal for the selector with this id.
pub(crate) fn structure(
    spirv: &Module<'_>,
    function: &Function<'_>,
    selector_words: &dyn Fn(Id) -> usize,
) -> Result<Structure> {
    let regions = regions::build_regions(spirv, function, selector_words)?;
    let size = |block: BlockIndex| function.blocks[block].length();
    Ok(exit_lowering::lower_exits(regions, &size))
}
