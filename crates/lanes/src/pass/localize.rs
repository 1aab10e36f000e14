//! Constants are made where they are used.
//!
//! In: any function. Out: the same, where a value of a cheap instruction ([`Op::is_cheap`](crate::ir::Op::is_cheap))
//! is used only in the block that defines it. So it never lives across a barrier, and takes no parameter of a loop.
//! Originals that have become unused stay.

use smallvec::SmallVec;

use super::origin::origins;
use crate::ir::{BlockId, Function, Inst, Op, Value};

/// Runs the pass.
pub(super) fn run(function: &mut Function) {
    let mut copies = Copies::new(function);
    for number in 0..function.blocks.len() {
        copies.block = BlockId(number as u32);
        let types = &mut function.types;
        let block = &mut function.blocks[number];
        let mut rename = |value| {
            copies.find(value, |old| {
                types.push(types[old.index()]);
                Value(types.len() as u32 - 1)
            })
        };
        for inst in &mut block.insts {
            inst.operands.iter_mut().for_each(|it| *it = rename(*it));
        }
        block.terminator.map_uses(&mut rename);
        block.insts.splice(0..0, copies.made.drain(..));
    }
}

struct Copies {
    /// By value: the constant that it is, and the block that defines it.
    constants: Vec<Option<(Op, BlockId)>>,
    /// By value: its last copy, and the block that has it.
    copies: Vec<Option<(Value, BlockId)>>,
    /// The block that is being visited, and what it has got.
    block: BlockId,
    made: Vec<Inst>,
}

impl Copies {
    fn new(function: &Function) -> Self {
        let origins = origins(function);
        let mut constants = vec![None; function.types.len()];
        let insts = function.blocks.iter().flat_map(|it| &it.insts);
        for inst in insts.filter(|it| it.op.is_cheap()) {
            if let Some(value) = inst.result {
                constants[value.index()] = origins[value.index()].block().map(|it| (inst.op, it));
            }
        }
        Self {
            copies: vec![None; function.types.len()],
            constants,
            block: Function::ENTRY,
            made: Vec::new(),
        }
    }

    /// What stands for a value in the block.
    fn find(&mut self, value: Value, add: impl FnOnce(Value) -> Value) -> Value {
        let Some((op, home)) = self.constants.get(value.index()).copied().flatten() else {
            return value;
        };
        match self.copies[value.index()] {
            _ if home == self.block => value,
            Some((copy, block)) if block == self.block => copy,
            _ => {
                let copy = add(value);
                self.copies[value.index()] = Some((copy, self.block));
                self.made.push(Inst {
                    op,
                    operands: SmallVec::new(),
                    result: Some(copy),
                });
                copy
            }
        }
    }
}
