//! Control-flow graph to structured control flow.
//!
//! In: a function whose graph is reducible. Out: [`Regions`]: a tree of statements with `if`, `switch`, `loop` and
//! `break` from the innermost loop or switch, as naga has them.
//!
//! The algorithm is that of Ramsey ("Beyond Relooper: Recursive Translation of Unstructured Control Flow to Structured
//! Control Flow", 2022), which follows the dominator tree. naga has no labels, so two things differ:
//!
//! - A block with several ways in follows its dominator. A jump over such blocks sets the *selector* of the list that
//!   they stand in, and the blocks that are jumped over are guarded by it ([`ListInfo`]).
//! - What follows a loop stands after the loop, not where it is left. A jump out of several loops at once sets a flag
//!   for each outer one, which is tested after the inner one.
//!
//! What always holds: no `continue` is made, a way back falls through to the end of the loop; each block stands once in
//! the tree, except small blocks that end the kernel; the tree is at most [`MAX_DEPTH`] deep.

mod jump;
mod loops;
mod placement;
mod region;
mod shared;
mod tree;

pub(crate) use placement::Placement;
pub(crate) use region::{Case, Flag, Item, List, ListInfo, Regions};

use super::CompileError;
use super::ir::{Cfg, Dominators, Function};

/// The deepest nesting of the tree. naga's WGSL front end and Tint accept 127 nested blocks, and some are left for the
/// statements of single instructions.
pub(crate) const MAX_DEPTH: usize = 120;

/// Structures a function.
pub(crate) fn structure(function: &Function) -> Result<Regions, CompileError> {
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(function, &cfg);
    let placement = Placement::new(function, &cfg, &dominators)?;
    tree::build(function, placement)
}

/// An error that names the kernel.
fn unsupported(function: &Function, feature: String) -> CompileError {
    CompileError::Unsupported {
        feature,
        function: function.name.clone(),
        offset: 0,
    }
}
