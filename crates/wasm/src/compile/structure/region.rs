//! The tree of structured control flow.

use super::Placement;
use crate::compile::ir::{Block, Value};

/// A list of blocks in order, each of which can be jumped over: index in [`Regions::lists`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct List(pub u32);

/// A flag: the loop that it belongs to is to be left. Index below [`Regions::flags`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flag(pub u32);

/// How a list is guarded. The selector is the index of the block to enter next; it starts at 0, so blocks that are not
/// jumped over are entered in order. A block is entered if the selector is not above its index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListInfo {
    /// The number of blocks that have a guard. If it is 1, a bool suffices.
    pub guarded: u32,
    /// The last block that has one.
    pub last: u32,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    /// The parameters and instructions of a block.
    Code(Block),
    /// Variables of block parameters are assigned, all at once.
    Copies(Vec<(Value, Value)>),
    /// Block parameters are other names of values.
    Bind(Vec<(Value, Value)>),
    /// The selector of a list is 0.
    Reset(List),
    /// Blocks of a list below an index are jumped over.
    Skip { list: List, to: u32 },
    /// A loop is to be left.
    Leave(Flag),
    /// The statements are executed unless they are jumped over.
    Guard {
        list: List,
        index: u32,
        body: Vec<Self>,
    },
    If {
        condition: Value,
        yes: Vec<Self>,
        no: Vec<Self>,
    },
    Switch {
        index: Value,
        cases: Vec<Case>,
        default: Vec<Self>,
    },
    /// The copies of `continuing` belong to every way back.
    Loop {
        header: Block,
        body: Vec<Self>,
        continuing: Vec<(Value, Value)>,
        /// The flag is false at the entry.
        leave: Option<Flag>,
    },
    /// Leaves the innermost loop if the flag is set.
    BreakIf(Flag),
    /// Leaves the innermost loop.
    Break,
    /// The end of a block that ends the kernel.
    End(Block),
    /// A copy of the instructions and the end of a small block that ends the kernel.
    Stub(Block),
}

/// A case of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Case {
    /// Its indices.
    pub values: Vec<u32>,
    /// Its statements. Control continues after the switch.
    pub body: Vec<Item>,
}

/// A structured function.
#[derive(Clone, Debug)]
pub(crate) struct Regions {
    /// The statements.
    pub body: Vec<Item>,
    /// The lists.
    pub lists: Vec<ListInfo>,
    /// The number of flags.
    pub flags: u32,
    /// Where the blocks stand.
    pub placement: Placement,
}
