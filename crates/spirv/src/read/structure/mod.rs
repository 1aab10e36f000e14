//! Blocks that jump become blocks inside of each other.
//!
//! In: the blocks of a function with their merges. Out: a tree of [`Node`]s. Two steps: `shape` follows
//! the blocks and says of every jump what it leaves or continues; `exits`, with `falls` for cases, then turns these jumps into
//! `break` and `continue`, with flags where a jump leaves more than one of WGSL's statements at once.
//! What always holds: each block stands once in the tree; on every path the same blocks run in the
//! same order as in the module, with the same edges between them.

mod exits;
mod falls;
mod shape;
mod tree;

use crate::error::Result;
use crate::module::{Function, Id, Module};

pub(crate) use tree::{List, Tree};

/// Number of a block in its function.
pub(crate) type BlockIndex = usize;

/// Number of a variable that remembers where a jump goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Flag(pub(crate) u32);

/// Something that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// The phis and the body of a block, not its end.
    Block(BlockIndex),
    /// From the end of a block to one with phis: what these take.
    Edge {
        from: BlockIndex,
        to: BlockIndex,
    },
    /// By the condition of a block's `OpBranchConditional`.
    If {
        block: BlockIndex,
        accept: List,
        reject: List,
    },
    /// By the selector of a block's `OpSwitch`.
    Switch {
        block: BlockIndex,
        cases: Vec<Case>,
    },
    /// Runs once; `Break` leaves it.
    Once(List),
    Loop {
        body: List,
        continuing: List,
        break_if: BreakIf,
    },
    Break,
    Continue,
    /// Gives a flag a value; flags are numbers, 0 at first.
    Set(Flag, u32),
    /// If a flag has this value.
    IfSet(Flag, u32, List),
    /// What the end of a block says: it returns, kills or is never reached.
    Leave(BlockIndex),
}

/// A case of a [`Node::Switch`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    /// As many words as the selector has bits for, low first.
    pub(crate) values: Vec<u64>,
    pub(crate) is_default: bool,
    pub(crate) body: List,
    /// Whether the next case follows.
    pub(crate) falls_through: bool,
}

/// What ends a loop behind `continuing`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BreakIf {
    /// Nothing; something in the body does.
    Never,
    /// Nothing at all. WGSL wants loops to have an end, so this one gets an end that is never reached.
    Endless,
    /// The condition of this block's end is as said.
    Condition { block: BlockIndex, is: bool },
}

/// What was found of a function.
#[derive(Debug)]
pub(crate) struct Structure {
    pub(crate) tree: Tree<Node>,
    pub(crate) nodes: List,
}

/// Finds the structure of a function.
///
/// `selector_words` says how many words a literal has that is compared with a value.
pub(crate) fn structure(
    spirv: &Module<'_>,
    function: &Function<'_>,
    selector_words: &dyn Fn(Id) -> usize,
) -> Result<Structure> {
    let shapes = shape::shape(spirv, function, selector_words)?;
    let size = |block: BlockIndex| function.blocks[block].length();
    Ok(exits::resolve(shapes, &size))
}
