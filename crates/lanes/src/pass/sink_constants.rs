//! Localizer: sinks constants into the blocks that use them (LLVM GlobalISel: Localizer).
//!
//! In: any function. Out: the same function, where the result of a cheap instruction
//! ([`Op::is_cheap`](crate::ir::Op::is_cheap)) is used only in the block that defines it. Constants then do not live
//! across barriers, and are not loop parameters. Originals without uses remain for `dead_code`.

use smallvec::SmallVec;

use super::value_def::value_defs;
use crate::ir::{BlockId, Function, Inst, Op, Value};

/// Runs the pass.
pub(super) fn run(function: &mut Function) {
    let mut copies = ConstantCopies::new(function);
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
            inst.operands
                .iter_mut()
                .for_each(|operand| *operand = rename(*operand));
        }
        block.terminator.map_uses(&mut rename);
        block.insts.splice(0..0, copies.copied.drain(..));
    }
}

struct ConstantCopies {
    /// By value: its constant, and the block that defines it.
    constants: Vec<Option<(Op, BlockId)>>,
    /// By value: its latest copy, and the block of that copy.
    copies: Vec<Option<(Value, BlockId)>>,
    /// The current block, and the constants that have been added to it.
    block: BlockId,
    copied: Vec<Inst>,
}

impl ConstantCopies {
    fn new(function: &Function) -> Self {
        let value_defs = value_defs(function);
        let mut constants = vec![None; function.types.len()];
        let insts = function.blocks.iter().flat_map(|block| &block.insts);
        for inst in insts.filter(|inst| inst.op.is_cheap()) {
            if let Some(value) = inst.result {
                constants[value.index()] = value_defs[value.index()]
                    .block()
                    .map(|block| (inst.op, block));
            }
        }
        Self {
            copies: vec![None; function.types.len()],
            constants,
            block: Function::ENTRY,
            copied: Vec::new(),
        }
    }

    /// The value to use in the current block in place of a value.
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
                self.copied.push(Inst {
                    op,
                    operands: SmallVec::new(),
                    result: Some(copy),
                });
                copy
            }
        }
    }
}
