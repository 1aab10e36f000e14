//! The control-flow graph: blocks of the machine function must correspond to those of the vector IR in successors,
//! parameters, arguments, and the order of effects.

use anywarp_lanes::ir::{BlockId, Function, Inst, Value};
use regalloc2::VReg;

use super::super::select::Selection;
use super::form::Form;
use crate::graph::{Graph, Origin};
use crate::machine::MachineBlock;

/// Returns the first broken rule.
pub(super) fn check(
    form: &Form<'_>,
    graph: &Graph,
    selection: &Selection<'_>,
) -> Result<(), &'static str> {
    let machine = &selection.machine;
    if machine.blocks.len() != graph.origins.len() {
        return Err("every block has a number");
    }
    for (number, (block, origin)) in machine.blocks.iter().zip(&graph.origins).enumerate() {
        let is_start = matches!(origin, Origin::Start);
        if is_start != (number == 0) {
            return Err("the first block is the one before the function");
        }
        let is_pure = |origin: &&Inst| !origin.op.has_effect() && !origin.op.reads_memory();
        let mut origins = selection.origins[block.first..block.end].iter().flatten();
        if !matches!(origin, Origin::Block(_)) && !origins.all(is_pure) {
            return Err("only blocks of the vector code access memory");
        }
        let is_right = match *origin {
            Origin::Start => {
                goes_to(graph, block, 0, Function::ENTRY) && block.successors.len() == 1
            }
            Origin::Block(id) => {
                is_block(form, graph, block, id) && has_effects(form.function, selection, block, id)
            }
            Origin::Way(id, way) => {
                let terminator = &form.function.block(id).terminator;
                let next = terminator.successors().get(way).copied();
                let edge = terminator.edges().nth(way);
                let arguments = edge.map_or(&[][..], |it| &it.arguments);
                block.successors.len() == 1
                    && next.is_some_and(|next| goes_to(graph, block, 0, next))
                    && are(form, &block.arguments[0], arguments)
                    && block.parameters.is_empty()
            }
        };
        if !is_right {
            return Err("blocks go where those of the vector code go");
        }
    }
    Ok(())
}

fn goes_to(graph: &Graph, block: &MachineBlock, way: usize, next: BlockId) -> bool {
    let number = block.successors[way].index();
    matches!(graph.origins.get(number), Some(Origin::Block(id)) if *id == next)
}

fn are(form: &Form<'_>, registers: &[VReg], values: &[Value]) -> bool {
    let found = registers.iter().map(|it| form.value_of(*it));
    found.eq(values.iter().map(|it| Some(*it)))
}

fn is_block(form: &Form<'_>, graph: &Graph, block: &MachineBlock, id: BlockId) -> bool {
    let own = form.function.block(id);
    let successors = own.terminator.successors();
    let mut ways = successors.iter().enumerate();
    are(form, &block.parameters, &own.parameters)
        && block.successors.len() == successors.len()
        && block.arguments.len() == successors.len()
        && ways.all(|(way, next)| {
            let number = block.successors[way].index();
            let edge = own.terminator.edges().nth(way);
            let arguments = edge.map_or(&[][..], |it| &it.arguments);
            match graph.origins.get(number) {
                Some(Origin::Way(from, other)) => {
                    (*from, *other) == (id, way) && block.arguments[way].is_empty()
                }
                _ => {
                    goes_to(graph, block, way, *next) && are(form, &block.arguments[way], arguments)
                }
            }
        })
}

/// Whether the groups with effects are those of the IR block, in order.
fn has_effects(
    function: &Function,
    selection: &Selection<'_>,
    block: &MachineBlock,
    id: BlockId,
) -> bool {
    let own = &function.block(id).insts;
    let mut left = own.iter().filter(|it| it.op.has_effect());
    let mut last: Option<&Inst> = None;
    for origin in selection.origins[block.first..block.end].iter().flatten() {
        let is_here = own.as_ptr_range().contains(&std::ptr::from_ref(*origin));
        if !is_here && (origin.op.has_effect() || origin.op.reads_memory()) {
            return false;
        }
        if !origin.op.has_effect() || last.is_some_and(|it| std::ptr::eq(it, *origin)) {
            continue;
        }
        if !left.next().is_some_and(|it| std::ptr::eq(it, *origin)) {
            return false;
        }
        last = Some(origin);
    }
    left.next().is_none()
}
