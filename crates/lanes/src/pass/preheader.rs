//! Loop preheaders: the only predecessor of a loop header outside the loop, with the header as its only successor.
//!
//! In: any function. Out: the same function, where loops have preheaders.

use super::cfg::Cfg;
use super::loops::Loops;
use crate::ir::{BlockId, Edge, Function, Terminator};

/// Adds a preheader to each loop that has none. Returns whether one was added.
pub(crate) fn add(function: &mut Function, graph: &Cfg, loops: &Loops) -> bool {
    let mut has_changed = false;
    for header in loops.all().iter().map(|inner| inner.header) {
        if find(function, graph, header).is_none() {
            add_one(function, graph, header);
            has_changed = true;
        }
    }
    has_changed
}

/// The preheader of the loop with this header, which is added if it has none.
pub(crate) fn find_or_add(function: &mut Function, graph: &Cfg, header: BlockId) -> BlockId {
    find(function, graph, header).unwrap_or_else(|| add_one(function, graph, header))
}

/// The preheader of the loop with this header, if it has one.
pub(crate) fn find(function: &Function, graph: &Cfg, header: BlockId) -> Option<BlockId> {
    let mut outside = outside(graph, header);
    let first = outside.next()?;
    let is_only_way = matches!(function.block(first).terminator, Terminator::Jump(_));
    (is_only_way && outside.next().is_none()).then_some(first)
}

fn outside(graph: &Cfg, header: BlockId) -> impl Iterator<Item = BlockId> {
    let all = graph.predecessors(header).iter().copied();
    all.filter(move |block| !graph.dominates(header, *block))
}

fn add_one(function: &mut Function, graph: &Cfg, header: BlockId) -> BlockId {
    let before = function.add_block();
    let types: Vec<_> = function
        .block(header)
        .parameters
        .iter()
        .map(|parameter| function.type_of(*parameter))
        .collect();
    let arguments = types
        .iter()
        .map(|ty| function.add_parameter(before, *ty))
        .collect();
    for block in outside(graph, header) {
        let name = |target| if target == header { before } else { target };
        super::remove_blocks::rename(&mut function.block_mut(block).terminator, name);
    }
    function.block_mut(before).terminator = Terminator::Jump(Edge {
        block: header,
        arguments,
    });
    before
}
