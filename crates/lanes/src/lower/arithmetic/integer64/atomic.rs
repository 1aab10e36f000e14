//! 64-bit atomics.
//!
//! The old values are returned through the frame, since an instruction has only one result.

use naga::{AtomicFunction, Expression, Handle};

use crate::ir::{
    AtomicOp, AtomicScope, LaneCompare, MaskBinary, Op, Row, Space, Type, Value, WordCompare,
};

use super::pair;
use crate::lower::arithmetic::number::Number;
use crate::lower::arithmetic::scalar::{Scalar, Scalars};
use crate::lower::error::Result;
use crate::lower::memory::access::AtomicAction;
use crate::lower::memory::reference::{Base, MemoryRef};
use crate::lower::{Evaluated, Lowering};

impl Lowering<'_> {
    /// Lowers an atomic statement on a 64-bit variable.
    pub(in crate::lower) fn wide_atomic_statement(
        &mut self,
        memory: &MemoryRef,
        number: Number,
        function: AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
    ) -> Result {
        let value = self.scalars(value)?;
        let is_signed = number.is_signed();
        let op = match AtomicAction::of(function, is_signed) {
            AtomicAction::Op(op) => op,
            AtomicAction::IfEqual(expected) => {
                let expected = self.scalars(expected)?;
                let op = Op::CompareExchange64;
                let (mut old, exists) = self.change_wide(memory, &value, &expected, op)?;
                let is_expected = self.wide_equal(&old, &expected);
                let is_expected = self.mask(&is_expected);
                // An out-of-bounds number reads as 0, but is not exchanged.
                let is_exchanged = self.mask_binary(MaskBinary::And, is_expected, exists);
                old.push(Scalar::Mask(is_exchanged));
                self.set_found(result, old);
                return Ok(());
            }
        };
        let old = self.wide_atomic(memory, op, &value)?;
        self.set_found(result, old);
        Ok(())
    }

    fn set_found(&mut self, result: Option<Handle<Expression>>, found: Scalars) {
        if let Some(result) = result {
            self.set(result, Evaluated::Scalars(found));
        }
    }

    /// Performs an atomic operation on a 64-bit number, lane by lane. Returns the old values.
    pub(in crate::lower) fn wide_atomic(
        &mut self,
        memory: &MemoryRef,
        op: AtomicOp,
        value: &[Scalar],
    ) -> Result<Scalars> {
        let op = |sharing, offset| Op::Atomic64(op, sharing, offset);
        Ok(self.change_wide(memory, value, &[], op)?.0)
    }

    /// Returns the old values, and the lanes whose location exists.
    fn change_wide(
        &mut self,
        memory: &MemoryRef,
        value: &[Scalar],
        expected: &[Scalar],
        op: impl Fn(AtomicScope, i32) -> Op + Copy,
    ) -> Result<(Scalars, Value)> {
        if let Base::SelectedBuffers(selected) = memory.base {
            let mut found = self.waterfall_loop(selected, memory, 3, |lowering, memory| {
                let (mut old, exists) = lowering.change_wide(memory, value, expected, op)?;
                old.push(Scalar::Mask(exists));
                Ok(old)
            })?;
            let exists = found.pop().unwrap_or(Scalar::ZERO);
            let (exists, zero) = (self.lanes(&exists), self.splat(0));
            let not_zero = LaneCompare::Int(WordCompare::Ne);
            return Ok((found, self.compare(not_zero, exists, zero)));
        }
        let (access, sharing) = self.atomic_access(memory)?;
        let lanes = self.function.lanes;
        let bytes = self.function.frame_bytes;
        self.function.frame_bytes += 2 * lanes * 4;
        let found = self.emit_early(Op::Base(Space::Frame(bytes)), &[], Type::Pointer);
        let mut operands: Vec<Value> = vec![access.pointer, found, access.index];
        for scalar in value.iter().chain(expected) {
            operands.push(self.lanes(scalar));
        }
        operands.push(access.mask);
        self.effect(op(sharing, access.offset.cast_signed()), &operands);
        let zero = self.word_const(0);
        let [low, high] = [0, lanes].map(|offset| {
            let row = Row {
                offset: offset.cast_signed(),
                is_limited: false,
                is_masked: false,
            };
            Scalar::Lanes(self.emit(Op::LoadRow(row), &[found, zero], Type::Lanes))
        });
        Ok((pair(low, high), access.mask))
    }
}
