//! Periodicity analysis: which values are equal in iterations of a loop at a certain distance.
//!
//! In: a counted loop and a period, a power of two. Out: by value of the loop, whether it varies between iterations whose
//! distance is a multiple of the period. With a period of 1 all iterations are compared. With two subgroups for each row of a
//! workgroup, which number `s & 1` tells apart, every second subgroup has the same columns.
//!
//! Forward dataflow to a fixpoint. The fact about a value is how many of its low bits do not vary: of the counter, as
//! many as the period has; a sum or a product keeps the fewest of its operands; a left shift adds zeros; a mask of bits
//! that do not vary gives a value that does not vary at all. Results of instructions with side effects vary. Facts only
//! decrease. Chains of loop parameters take a round for each parameter, so the number of rounds is limited.

use anywarp_program::work::{Meter, OverBudget};

use super::nest::Nest;
use crate::ir::{BlockId, Function, Inst, Op, Value, WordBinary};
use crate::pass::unroll_and_jam::counted_loop::{CountedLoop, LoopTables};

/// All bits of a value, of any type.
const ALL: u32 = 32;

/// The most rounds of an analysis. Loops with longer chains are not analyzed.
const MAX_ROUNDS: usize = 16;

/// By value, for all nests of a function: the number of low bits that do not vary.
pub(super) struct Periodicity {
    constant_bits: Vec<u8>,
}

impl Periodicity {
    /// No value varies.
    pub(super) fn new(function: &Function) -> Self {
        Self {
            constant_bits: vec![ALL as u8; function.types.len()],
        }
    }

    /// Whether a value varies in its nest.
    pub(super) fn varies(&self, value: Value) -> bool {
        self.of(value) < ALL
    }

    /// By value: whether it varies in its nest.
    pub(super) fn varying(&self) -> Vec<bool> {
        let values = (0..self.constant_bits.len() as u32).map(Value);
        values.map(|value| self.varies(value)).collect()
    }

    fn of(&self, value: Value) -> u32 {
        u32::from(self.constant_bits[value.index()])
    }

    /// Forgets the values of a nest.
    pub(super) fn reset(&mut self, function: &Function, outer: &CountedLoop) {
        for id in &outer.blocks {
            let block = function.block(*id);
            let results = block.insts.iter().filter_map(|inst| inst.result);
            for value in results.chain(block.parameters.iter().copied()) {
                self.constant_bits[value.index()] = ALL as u8;
            }
        }
    }

    /// Finds the values of a nest that vary at its period. Returns false if that takes too many rounds.
    pub(super) fn analyze(
        &mut self,
        function: &Function,
        tables: &LoopTables,
        nest: &Nest,
        meter: &Meter,
    ) -> Result<bool, OverBudget> {
        self.reset(function, &nest.outer);
        self.constant_bits[nest.outer.counter.index()] = nest.period.trailing_zeros() as u8;
        let mut facts = Facts {
            function,
            tables,
            known: self,
            is_changed: true,
        };
        for _ in 0..MAX_ROUNDS {
            meter.tick(nest.size)?;
            facts.is_changed = false;
            for &id in &nest.outer.blocks {
                facts.block(&nest.outer, id);
            }
            if !facts.is_changed {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

struct Facts<'a> {
    function: &'a Function,
    tables: &'a LoopTables,
    known: &'a mut Periodicity,
    is_changed: bool,
}

impl Facts<'_> {
    fn block(&mut self, outer: &CountedLoop, id: BlockId) {
        let function = self.function;
        let block = function.block(id);
        for inst in &block.insts {
            if let Some(result) = inst.result {
                let bits = self.result(inst);
                self.lower(result, bits);
            }
        }
        let edges = block.terminator.edges();
        let is_other = |block: BlockId| block != outer.header && block != outer.exit;
        for edge in edges.filter(|edge| is_other(edge.block)) {
            let parameters = &function.block(edge.block).parameters;
            for (argument, parameter) in edge.arguments.iter().zip(parameters) {
                let bits = self.known.of(*argument);
                self.lower(*parameter, bits);
            }
        }
    }

    fn lower(&mut self, value: Value, bits: u32) {
        if bits < self.known.of(value) {
            self.known.constant_bits[value.index()] = bits as u8;
            self.is_changed = true;
        }
    }

    /// The low bits of a result that do not vary.
    fn result(&self, inst: &Inst) -> u32 {
        if inst.op.has_effect() {
            return 0;
        }
        let of = |value: &Value| self.known.of(*value);
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
