//! Loop rotation: moves the exit test of a loop from its header to its end (LLVM: LoopRotate).
//!
//! In: any function. Out: the same function, where a loop whose header decides whether to continue has a copy of the
//! header after its body, so that an iteration has one jump less. The original header becomes the guard that decides
//! whether the loop is entered. Loops with long headers, and loops whose header does not exit, are not rotated.

use anywarp_program::work::{Meter, OverBudget};

use super::cfg::Cfg;
use super::loops::{LoopId, Loops};
use super::remove_blocks;
use super::ssa_repair::{self, Redefined};
use crate::ir::{BlockId, Function, Terminator, Value};

/// Headers with more instructions are not copied. Constants do not count.
const MAX_HEADER_INSTS: usize = 16;

/// Runs the pass.
pub fn run(function: &mut Function) {
    // An unlimited meter does not return errors.
    let _ = run_within(function, &Meter::unlimited());
}

/// Runs the pass within limits.
pub(super) fn run_within(function: &mut Function, meter: &Meter) -> Result<(), OverBudget> {
    remove_blocks::unreachable(function);
    let graph = Cfg::new(function);
    let loops = Loops::new(&graph, function.blocks.len());
    let mut redefined = Vec::new();
    let mut copier = BlockCopier {
        names: (0..function.types.len() as u32).map(Value).collect(),
    };
    for index in 0..loops.all().len() {
        let id = LoopId(index as u32);
        if is_worth_it(function, &loops, id) {
            rotate(function, &graph, &loops, id, &mut copier, &mut redefined);
        }
    }
    if !redefined.is_empty() {
        ssa_repair::run(function, &redefined, meter)?;
    }
    Ok(())
}

fn is_worth_it(function: &Function, loops: &Loops, id: LoopId) -> bool {
    let header = loops.get(id).header;
    let block = function.block(header);
    let Terminator::Branch(_, yes, no) = &block.terminator else {
        return false;
    };
    let stays = |block: BlockId| loops.contains(id, block);
    let is_test = stays(yes.block) != stays(no.block);
    let is_alone = yes.block == header || no.block == header;
    let length = block
        .insts
        .iter()
        .filter(|inst| !inst.op.is_cheap())
        .count();
    is_test && !is_alone && length <= MAX_HEADER_INSTS
}

/// Copies the header of a loop and redirects all back edges to the copy.
fn rotate(
    function: &mut Function,
    graph: &Cfg,
    loops: &Loops,
    id: LoopId,
    copier: &mut BlockCopier,
    redefined: &mut Vec<Redefined>,
) {
    let header = loops.get(id).header;
    let copy = copier.copy(function, header, redefined);
    for &latch in graph.predecessors(header) {
        if graph.dominates(header, latch) {
            let name = |target| if target == header { copy } else { target };
            remove_blocks::rename(&mut function.block_mut(latch).terminator, name);
        }
    }
}

struct BlockCopier {
    /// By value: its name in the copy.
    names: Vec<Value>,
}

impl BlockCopier {
    fn copy(
        &mut self,
        function: &mut Function,
        header: BlockId,
        redefined: &mut Vec<Redefined>,
    ) -> BlockId {
        let copy = function.add_block();
        let mut block = function.block(header).clone();
        let first = redefined.len();
        let mut define = |names: &mut [Value], value: &mut Value| {
            let new = function.add_value(function.type_of(*value));
            names[value.index()] = new;
            redefined.push(Redefined {
                value: *value,
                definitions: vec![(copy, new)],
            });
            *value = new;
        };
        for parameter in &mut block.parameters {
            define(&mut self.names, parameter);
        }
        for inst in &mut block.insts {
            for operand in &mut inst.operands {
                *operand = self.names[operand.index()];
            }
            if let Some(result) = &mut inst.result {
                define(&mut self.names, result);
            }
        }
        block.terminator.map_uses(|value| self.names[value.index()]);
        *function.block_mut(copy) = block;
        for redefined in &redefined[first..] {
            self.names[redefined.value.index()] = redefined.value;
        }
        copy
    }
}
