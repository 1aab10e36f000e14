//! Which values vary between the two subgroups that share an iteration.
//!
//! Values vary that depend on the number of the subgroup, on loads from memory that is written, or on results of
//! instructions with side effects. Forward dataflow with a worklist.

use crate::ir::{Function, Op, Space, Type, Value};
use crate::pass::alias::{AliasAnalysis, BufferAliasing};
use crate::pass::cfg::Cfg;
use crate::pass::csr::CsrLists;

use super::counted_loop::CountedLoop;

/// By value: whether it varies. `None` if two subgroups cannot share an iteration.
pub(super) fn analyze(
    function: &Function,
    subgroup_loop: &CountedLoop,
    aliasing: BufferAliasing,
) -> Option<Vec<bool>> {
    // The frame is for one subgroup only. Its address may be computed before the loop.
    let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
    if insts.any(|inst| uses_frame(inst.op)) {
        return None;
    }
    let graph = Cfg::new(function);
    let memory = AliasAnalysis::new(function, &graph, aliasing);
    let mut varying = vec![false; function.types.len()];
    let mut open = vec![subgroup_loop.counter];
    let mut users = Vec::new();
    for &id in &subgroup_loop.blocks {
        let block = function.block(id);
        for inst in &block.insts {
            let Some(result) = inst.result else { continue };
            users.extend(inst.operands.iter().map(|operand| (operand.0, result)));
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
        if !std::mem::replace(&mut varying[value.index()], true) {
            open.extend_from_slice(users.of(value.index()));
        }
    }
    can_share_branches(function, subgroup_loop, &varying).then_some(varying)
}

fn uses_frame(op: Op) -> bool {
    use Op::{Base, Call, FrameLoad, FrameLoadAt, FrameStore, FrameStoreAt};
    let is_slot_access = matches!(
        op,
        FrameStore(_) | FrameLoad(_) | FrameStoreAt(_) | FrameLoadAt(_)
    );
    is_slot_access || matches!(op, Base(Space::Frame(_)) | Call(..))
}

/// Whether both subgroups can take every branch together: its condition is a mask, or a word that does not vary.
fn can_share_branches(function: &Function, subgroup_loop: &CountedLoop, varying: &[bool]) -> bool {
    let blocks = subgroup_loop
        .blocks
        .iter()
        .filter(|block| **block != subgroup_loop.latch);
    let mut conditions = blocks.filter_map(|block| function.block(*block).terminator.condition());
    conditions.all(|value| !varying[value.index()] || function.type_of(value) == Type::Mask)
}
