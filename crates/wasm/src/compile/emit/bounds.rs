//! Guards of indices: whether an index is inside its object.
//!
//! Devices keep accesses in bounds, but by clamping the index or otherwise than the IR asks for: a read outside gives 0,
//! a write has no effect. A guard is left out where the index has a known maximum, or where a condition that holds here
//! compares it with the length.

use naga::BinaryOperator;

use super::interface::Storage;
use super::kernel::Kernel;
use super::writer::Expr;
use crate::compile::ir::{Binary, Builtin, Object, Op, Type, Unary, Value};

/// Which side makes accesses outside buffers give 0 or nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Guards {
    /// The kernel, for devices that clamp.
    #[default]
    Explicit,
    /// The device, as Anywarp's CPU device does.
    Device,
}

/// How many operations are followed to find a maximum.
const MAX_STEPS: u32 = 6;

impl Kernel<'_> {
    /// The condition under which an index is inside, unless it always is.
    pub(super) fn guard(&mut self, object: Object, index: Value) -> Option<Expr> {
        let is_shared = matches!(
            self.interface.storage[object.0 as usize],
            Some(Storage::OfThread(..) | Storage::Part(..))
        );
        if self.guards == Guards::Device && !is_shared {
            return None;
        }
        let words = self.known_words(object);
        if let Some(words) = words
            && self.maximum(index, MAX_STEPS) < u64::from(words)
        {
            return None;
        }
        if self.is_below_length(object, index, words) {
            return None;
        }
        let index = self.value(index);
        let length = self.object_length(object)?;
        Some(self.writer.binary(BinaryOperator::Less, index, length))
    }

    fn is_below_length(&self, object: Object, index: Value, words: Option<u32>) -> bool {
        let is_length = |bound: Value| match (self.function.op(bound), words) {
            (Op::ObjectLength(of), _) => *of == object,
            (Op::Const(bits), Some(words)) => *bits <= u64::from(words),
            _ => false,
        };
        let mut known = self.facts.iter().rev().take(64);
        known.any(|&(below, bound)| below == index && is_length(bound))
    }

    /// An upper bound of an unsigned number.
    fn maximum(&self, value: Value, steps: u32) -> u64 {
        let limit = match self.function.ty(value) {
            Type::I32 => u64::from(u32::MAX),
            _ => u64::MAX,
        };
        if steps == 0 {
            return limit;
        }
        let of = |operand: Value| self.maximum(operand, steps - 1);
        let found = match *self.function.op(value) {
            Op::Const(bits) => Some(bits),
            Op::Builtin(Builtin::LocalId(c)) => {
                Some(u64::from(self.workgroup_size[usize::from(c.min(2))]).saturating_sub(1))
            }
            Op::Builtin(Builtin::LocalIndex) => {
                let size: u64 = self
                    .workgroup_size
                    .iter()
                    .map(|&size| u64::from(size))
                    .product();
                Some(size.saturating_sub(1))
            }
            Op::Unary(Unary::BoolToI32, _) => Some(1),
            Op::Unary(Unary::ZeroExtend, operand) => Some(of(operand)),
            Op::Binary(Binary::And, left, right) => Some(of(left).min(of(right))),
            Op::Binary(Binary::RemUnsigned, _, right) => {
                let by = self.function.as_const(right).filter(|&by| by > 0);
                by.map(|by| by - 1)
            }
            Op::Binary(Binary::ShrUnsigned, left, right) => {
                let count = self.function.as_const(right).unwrap_or(0)
                    & if limit == u64::MAX { 63 } else { 31 };
                Some(of(left) >> count)
            }
            Op::Binary(Binary::Shl, left, right) => {
                let count = self.function.as_const(right).filter(|&count| count < 32);
                count.and_then(|count| of(left).checked_mul(1 << count))
            }
            Op::Binary(Binary::Add, left, right) => of(left).checked_add(of(right)),
            Op::Binary(Binary::Mul, left, right) => of(left).checked_mul(of(right)),
            Op::Select { yes, no, .. } => Some(of(yes).max(of(no))),
            _ => None,
        };
        // Beyond the limit the operation may wrap.
        found.filter(|&found| found <= limit).unwrap_or(limit)
    }

    /// Notes what follows from a condition.
    pub(super) fn assume(&mut self, mut condition: Value, mut holds: bool) {
        loop {
            match *self.function.op(condition) {
                Op::Unary(Unary::Not, operand) => {
                    condition = operand;
                    holds = !holds;
                }
                Op::Binary(Binary::LtUnsigned, left, right) if holds => {
                    self.facts.push((left, right));
                    return;
                }
                Op::Binary(Binary::LeUnsigned, left, right) if !holds => {
                    self.facts.push((right, left));
                    return;
                }
                _ => return,
            }
        }
    }

    /// Forgets what was noted after a time.
    pub(super) fn forget_facts(&mut self, length: usize) {
        self.facts.truncate(length);
    }
}
