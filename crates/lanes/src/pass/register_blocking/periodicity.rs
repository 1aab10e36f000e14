//! Periodicity analysis: which values are equal in iterations of a loop at a certain distance.
//!
//! In: a counted loop and a period, a power of two. Out: by value, whether it varies between iterations whose distance is
//! a multiple of the period. With a period of 1 all iterations are compared. With two subgroups for each row of a
//! workgroup, which number `s & 1` tells apart, every second subgroup has the same columns.
//!
//! Forward dataflow to a fixpoint. The fact about a value is how many of its low bits do not vary: of the counter, as
//! many as the period has; a sum or a product keeps the fewest of its operands; a left shift adds zeros; a mask of bits
//! that do not vary gives a value that does not vary at all. Facts only decrease, at most 32 times each.

use crate::ir::{Function, Inst, Op, Value, WordBinary};
use crate::pass::unroll_and_jam::counted_loop::{CountedLoop, LoopTables};

/// All bits of a value, of any type.
const ALL: u32 = 32;

/// By value: whether it varies.
pub(super) fn varying(
    function: &Function,
    tables: &LoopTables,
    outer: &CountedLoop,
    period: u32,
) -> Vec<bool> {
    let mut facts = Facts {
        function,
        tables,
        constant_bits: vec![ALL; function.types.len()],
        is_changed: true,
    };
    facts.constant_bits[outer.counter.index()] = period.trailing_zeros();
    while facts.is_changed {
        facts.is_changed = false;
        for &id in &outer.blocks {
            facts.block(outer, id);
        }
    }
    facts.constant_bits.iter().map(|bits| *bits < ALL).collect()
}

struct Facts<'a> {
    function: &'a Function,
    tables: &'a LoopTables,
    /// By value: the number of low bits that do not vary.
    constant_bits: Vec<u32>,
    is_changed: bool,
}

impl Facts<'_> {
    fn block(&mut self, outer: &CountedLoop, id: crate::ir::BlockId) {
        let function = self.function;
        let block = function.block(id);
        for inst in &block.insts {
            if let Some(result) = inst.result {
                let bits = self.result(inst);
                self.lower(result, bits);
            }
        }
        let edges = block.terminator.edges();
        for edge in edges.filter(|edge| edge.block != outer.header) {
            let parameters = &function.block(edge.block).parameters;
            for (argument, parameter) in edge.arguments.iter().zip(parameters) {
                let bits = self.constant_bits[argument.index()];
                self.lower(*parameter, bits);
            }
        }
    }

    fn lower(&mut self, value: Value, bits: u32) {
        let known = &mut self.constant_bits[value.index()];
        if bits < *known {
            *known = bits;
            self.is_changed = true;
        }
    }

    /// The low bits of a result that do not vary.
    fn result(&self, inst: &Inst) -> u32 {
        let of = |value: &Value| self.constant_bits[value.index()];
        let fewest = inst.operands.iter().map(of).min().unwrap_or(ALL);
        let Op::WordBinary(op) = inst.op else {
            return if fewest < ALL { 0 } else { ALL };
        };
        let constant = self.tables.word(self.function, inst.operands[1]);
        let first = of(&inst.operands[0]);
        match (op, constant) {
            (WordBinary::And, Some(mask)) if u32::BITS - mask.leading_zeros() <= first => ALL,
            (WordBinary::Shl, Some(by)) if first < ALL => ALL.min(first + by % 32),
            (WordBinary::ShrU, Some(by)) if first < ALL => first.saturating_sub(by % 32),
            (
                WordBinary::Add
                | WordBinary::Sub
                | WordBinary::Mul
                | WordBinary::And
                | WordBinary::Or
                | WordBinary::Xor,
                _,
            ) => fewest,
            _ if fewest < ALL => 0,
            _ => ALL,
        }
    }
}
