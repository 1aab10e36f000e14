//! Which values vary between the two subgroups that share an iteration.
//!
//! Values vary that depend on the number of the subgroup, on loads from memory that is written, or on results of
//! instructions with side effects. Forward dataflow with a worklist.

use crate::ir::{Function, Op, Space, Type, Value};
use crate::pass::alias::{AliasAnalysis, BufferAliasing};
use crate::pass::cfg::Cfg;
use crate::pass::csr::CsrLists;

use super::candidate::Turns;

/// By value: whether it varies. `None` if two subgroups cannot share an iteration.
pub(super) fn find(
    function: &Function,
    turns: &Turns,
    aliasing: BufferAliasing,
) -> Option<Vec<bool>> {
    // The frame is for one subgroup only. Its address may be computed before the loop.
    let mut insts = function.blocks.iter().flat_map(|it| &it.insts);
    if insts.any(|it| uses_frame(it.op)) {
        return None;
    }
    let graph = Cfg::new(function);
    let memory = AliasAnalysis::new(function, &graph, aliasing);
    let mut differs = vec![false; function.types.len()];
    let mut open = vec![turns.number];
    let mut users = Vec::new();
    for &id in &turns.blocks {
        let block = function.block(id);
        for inst in &block.insts {
            let Some(result) = inst.result else { continue };
            users.extend(inst.operands.iter().map(|it| (it.0, result)));
            if inst.op.has_effect() || memory.read_by(inst) != 0 {
                open.push(result);
            }
        }
        for edge in block.terminator.edges() {
            let parameters = &function.block(edge.block).parameters;
            let given = edge.arguments.iter().zip(parameters);
            users.extend(given.map(|(argument, parameter)| (argument.0, *parameter)));
        }
    }
    let users = CsrLists::<Value>::new(function.types.len(), &users);
    while let Some(value) = open.pop() {
        if !std::mem::replace(&mut differs[value.index()], true) {
            open.extend_from_slice(users.of(value.index()));
        }
    }
    is_shared(function, turns, &differs).then_some(differs)
}

fn uses_frame(op: Op) -> bool {
    use Op::{Base, Call, FrameLoad, FrameLoadAt, FrameStore, FrameStoreAt};
    let is_kept = matches!(
        op,
        FrameStore(_) | FrameLoad(_) | FrameStoreAt(_) | FrameLoadAt(_)
    );
    is_kept || matches!(op, Base(Space::Frame(_)) | Call(..))
}

/// Whether both subgroups can take every branch together: its condition is a mask, or a word that does not vary.
fn is_shared(function: &Function, turns: &Turns, differs: &[bool]) -> bool {
    let blocks = turns.blocks.iter().filter(|it| **it != turns.latch);
    let mut conditions = blocks.filter_map(|it| function.block(*it).terminator.condition());
    conditions.all(|it| !differs[it.index()] || function.type_of(it) == Type::Mask)
}
