//! Alignment: how many low bits of each address are known to be zero.
//!
//! In: a function, and the low zero bits of the initial stack pointer. Out: for each `I32` value a
//! number of low bits that are zero in every execution. An optimistic data-flow analysis: numbers
//! only go down, so it ends.

use super::super::ir::{Binary, Cfg, Function, Op, Type, Value};
use super::linear::Linear;

/// Addresses of slices are multiples of 2 to this power.
pub(crate) const SLICE_ALIGNMENT: u32 = 27;

/// Rounds after which nothing is known.
const MAX_ROUNDS: usize = 64;

/// The known low zero bits of all values.
#[derive(Clone, Debug)]
pub(crate) struct Alignment(Vec<u32>);

impl Alignment {
    /// Analyses a function.
    pub(crate) fn new(function: &Function, cfg: &Cfg, stack_pointer: u32) -> Self {
        let mut alignment = Self(vec![32; function.value_count()]);
        for number in 0..function.value_count() {
            let value = Value(number as u32);
            let op = function.op(value);
            if op.is_floating() {
                alignment.0[number] = match *op {
                    Op::Const(bits) => (bits as u32).trailing_zeros(),
                    Op::StackPointer => stack_pointer.trailing_zeros(),
                    Op::SliceAddress(_) => SLICE_ALIGNMENT,
                    _ => 0,
                };
            }
        }
        for _ in 0..MAX_ROUNDS {
            if !alignment.round(function, cfg) {
                return alignment;
            }
        }
        alignment.0.fill(0);
        alignment
    }

    /// The low zero bits of a value; 0 for values that are newer than the analysis.
    pub(crate) fn of(&self, value: Value) -> u32 {
        self.0.get(value.0 as usize).copied().unwrap_or(0)
    }

    /// The low zero bits of a sum.
    pub(crate) fn of_sum(&self, form: &Linear) -> u32 {
        let terms = form.terms.iter();
        terms
            .map(|&(value, factor)| self.of(value).saturating_add(factor.trailing_zeros()))
            .fold(form.constant.trailing_zeros(), u32::min)
    }

    fn round(&mut self, function: &Function, cfg: &Cfg) -> bool {
        let mut has_changed = false;
        for &block in &cfg.order {
            let data = function.block(block);
            for &inst in &data.insts {
                if function.ty(inst) == Type::I32 {
                    let new = self.operation(function, function.op(inst));
                    has_changed |= self.lower(inst, new);
                }
            }
            for edge in data.terminator.edges() {
                for (&param, &arg) in function.block(edge.block).params.iter().zip(&edge.args) {
                    has_changed |= self.lower(param, self.of(arg));
                }
            }
        }
        has_changed
    }

    fn lower(&mut self, value: Value, new: u32) -> bool {
        let old = &mut self.0[value.0 as usize];
        let is_lower = new < *old;
        *old = new.min(*old);
        is_lower
    }

    fn operation(&self, function: &Function, op: &Op) -> u32 {
        match *op {
            Op::Binary(binary, left, right) => {
                let (first, second) = (self.of(left), self.of(right));
                match binary {
                    Binary::Add | Binary::Sub | Binary::Or | Binary::Xor => first.min(second),
                    Binary::And => first.max(second),
                    Binary::Mul => first.saturating_add(second).min(32),
                    Binary::Shl => {
                        let count = function.as_word(right).map_or(0, |count| count & 31);
                        first.saturating_add(count).min(32)
                    }
                    _ => 0,
                }
            }
            Op::Select { yes, no, .. } => self.of(yes).min(self.of(no)),
            _ => 0,
        }
    }
}
