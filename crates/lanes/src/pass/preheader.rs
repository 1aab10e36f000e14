//! Loop preheaders: the only predecessor of a loop header outside the loop, with the header as its only successor.
//!
//! In: any function. Out: the same function, where loops have preheaders.

use super::cfg::Cfg;
use super::loops::{Loop, Loops};
use crate::ir::{BlockId, Edge, Function, Terminator};

/// Adds a preheader to each loop that has none. Returns whether one was added.
pub(crate) fn add(function: &mut Function, graph: &Cfg, loops: &Loops) -> bool {
    let mut has_changed = false;
    for it in loops.all() {
        if find(function, graph, it).is_none() {
            add_one(function, graph, it.header);
            has_changed = true;
        }
    }
    has_changed
}

/// The preheader of a loop, which is added if it has none.
pub(crate) fn before(function: &mut Function, graph: &Cfg, it: &Loop) -> BlockId {
    find(function, graph, it).unwrap_or_else(|| add_one(function, graph, it.header))
}

/// The preheader of a loop, if it has one.
pub(crate) fn find(function: &Function, graph: &Cfg, it: &Loop) -> Option<BlockId> {
    let mut outside = outside(graph, it.header);
    let first = outside.next()?;
    let is_only_way = matches!(function.block(first).terminator, Terminator::Jump(_));
    (is_only_way && outside.next().is_none()).then_some(first)
}

fn outside(graph: &Cfg, header: BlockId) -> impl Iterator<Item = BlockId> {
    let all = graph.predecessors(header).iter().copied();
    all.filter(move |it| !graph.dominates(header, *it))
}

fn add_one(function: &mut Function, graph: &Cfg, header: BlockId) -> BlockId {
    let before = function.add_block();
    let types: Vec<_> = function
        .block(header)
        .parameters
        .iter()
        .map(|it| function.type_of(*it))
        .collect();
    let arguments = types
        .iter()
        .map(|ty| function.add_parameter(before, *ty))
        .collect();
    for block in outside(graph, header) {
        let name = |it| if it == header { before } else { it };
        super::remove_blocks::rename(&mut function.block_mut(block).terminator, name);
    }
    function.block_mut(before).terminator = Terminator::Jump(Edge {
        block: header,
        arguments,
    });
    before
}
