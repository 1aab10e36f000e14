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
mod switch;
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

#[cfg(test)]
mod tests {
    use super::{Item, structure};
    use crate::compile::ir::parse;

    fn count(items: &[Item], is: &dyn Fn(&Item) -> bool) -> usize {
        let below = |item: &Item| match item {
            Item::Guard { body, .. } | Item::Loop { body, .. } => count(body, is),
            Item::If { yes, no, .. } => count(yes, is) + count(no, is),
            _ => 0,
        };
        items
            .iter()
            .map(|item| usize::from(is(item)) + below(item))
            .sum()
    }

    /// `if (a && b) { x } else { y }`: one block is jumped over.
    #[test]
    fn a_short_circuit_has_one_guard() {
        let function = parse(
            "kernel k(i32, i32)
b0:
  v0: bool = Eq arg0, 1
  branch v0, b1, b3
b1:
  v1: bool = Eq arg1, 2
  branch v1, b2, b3
b2:
  Host workgroup_barrier
  jump b4
b3:
  Host storage_barrier
  jump b4
b4:
  Host workgroup_barrier
  return
",
        )
        .unwrap();
        let regions = structure(&function).unwrap();
        assert_eq!(
            count(&regions.body, &|item| matches!(item, Item::Guard { .. })),
            1
        );
        assert_eq!(
            count(&regions.body, &|item| matches!(item, Item::Skip { .. })),
            1
        );
        assert_eq!(
            count(&regions.body, &|item| matches!(item, Item::Code(_))),
            5
        );
        let guarded: Vec<_> = regions
            .lists
            .iter()
            .map(|list| list.guarded)
            .filter(|&n| n > 0)
            .collect();
        assert_eq!(guarded, [1]);
    }

    /// What follows a loop with two exits stands after it; both leave it by `break`.
    #[test]
    fn exits_stand_after_the_loop() {
        let function = parse(
            "kernel k(i32)
b0:
  jump b1(0)
b1(v0: i32):
  v1: bool = Eq v0, arg0
  branch v1, b4, b2
b2:
  v2: bool = Eq v0, 9
  branch v2, b4, b3
b3:
  v3: i32 = Add v0, 1
  jump b1(v3)
b4:
  Host workgroup_barrier
  return
",
        )
        .unwrap();
        let regions = structure(&function).unwrap();
        assert_eq!(count(&regions.body, &|item| matches!(item, Item::Break)), 2);
        let is_shared =
            |item: &Item| matches!(item, Item::Loop { continuing, .. } if continuing.len() == 1);
        assert_eq!(count(&regions.body, &is_shared), 1);
        assert!(matches!(regions.body.last(), Some(Item::End(_))));
        assert_eq!(regions.flags, 0);
    }

    #[test]
    fn an_irreducible_graph_is_refused() {
        let function = parse(
            "kernel k(i32)
b0:
  v0: bool = Eq arg0, 1
  branch v0, b1, b2
b1:
  jump b2
b2:
  v1: bool = Eq arg0, 2
  branch v1, b1, b3
b3:
  return
",
        )
        .unwrap();
        let error = structure(&function).unwrap_err().to_string();
        assert!(error.contains("irreducible"), "{error}");
    }
}
