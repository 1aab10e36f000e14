//! The control-flow graph: blocks of the machine function must correspond to those of the vector IR in successors,
//! parameters, arguments, and the order of effects.

use anywarp_lanes::ir::{BlockId, Function, Inst, Value};
use regalloc2::VReg;

use super::super::select::Selection;
use super::ir_view::IrView;
use crate::block_order::{BlockOrder, Origin};
use crate::machine_function::MachineBlock;

/// Returns the first broken rule.
pub(super) fn check(
    ir: &IrView<'_>,
    block_order: &BlockOrder,
    selection: &Selection<'_>,
) -> Result<(), &'static str> {
    let machine = &selection.machine;
    if machine.blocks.len() != block_order.origins.len() {
        return Err("every block has a number");
    }
    for (number, (block, origin)) in machine.blocks.iter().zip(&block_order.origins).enumerate() {
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
                goes_to(block_order, block, 0, Function::ENTRY) && block.successors.len() == 1
            }
            Origin::Block(id) => {
                is_block(ir, block_order, block, id)
                    && has_effects(ir.function, selection, block, id)
            }
            Origin::Edge(id, index) => {
                let terminator = &ir.function.block(id).terminator;
                let next = terminator.successors().get(index).copied();
                let edge = terminator.edges().nth(index);
                let arguments = edge.map_or(&[][..], |edge| &edge.arguments);
                block.successors.len() == 1
                    && next.is_some_and(|next| goes_to(block_order, block, 0, next))
                    && are(ir, &block.arguments[0], arguments)
                    && block.parameters.is_empty()
            }
        };
        if !is_right {
            return Err("blocks go where those of the vector code go");
        }
    }
    Ok(())
}

fn goes_to(block_order: &BlockOrder, block: &MachineBlock, index: usize, next: BlockId) -> bool {
    let number = block.successors[index].index();
    matches!(block_order.origins.get(number), Some(Origin::Block(id)) if *id == next)
}

fn are(ir: &IrView<'_>, registers: &[VReg], values: &[Value]) -> bool {
    let found = registers.iter().map(|value| ir.value_of(*value));
    found.eq(values.iter().map(|value| Some(*value)))
}

fn is_block(ir: &IrView<'_>, block_order: &BlockOrder, block: &MachineBlock, id: BlockId) -> bool {
    let own = ir.function.block(id);
    let targets = own.terminator.successors();
    let mut edges = targets.iter().enumerate();
    are(ir, &block.parameters, &own.parameters)
        && block.successors.len() == targets.len()
        && block.arguments.len() == targets.len()
        && edges.all(|(index, next)| {
            let number = block.successors[index].index();
            let edge = own.terminator.edges().nth(index);
            let arguments = edge.map_or(&[][..], |edge| &edge.arguments);
            match block_order.origins.get(number) {
                Some(Origin::Edge(from, other)) => {
                    (*from, *other) == (id, index) && block.arguments[index].is_empty()
                }
                _ => {
                    goes_to(block_order, block, index, *next)
                        && are(ir, &block.arguments[index], arguments)
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
    let mut left = own.iter().filter(|inst| inst.op.has_effect());
    let mut last: Option<&Inst> = None;
    for origin in selection.origins[block.first..block.end].iter().flatten() {
        let is_here = own.as_ptr_range().contains(&std::ptr::from_ref(*origin));
        if !is_here && (origin.op.has_effect() || origin.op.reads_memory()) {
            return false;
        }
        if !origin.op.has_effect() || last.is_some_and(|inst| std::ptr::eq(inst, *origin)) {
            continue;
        }
        if !left.next().is_some_and(|inst| std::ptr::eq(inst, *origin)) {
            return false;
        }
        last = Some(origin);
    }
    left.next().is_none()
}
