//! Atomic operations. Words are unsigned; a signed minimum or maximum is a loop of compare-exchanges.

use naga::{
    AtomicFunction, BinaryOperator, Expression, PredeclaredType, Scalar, ScalarKind, Statement,
};

use super::kernel::Kernel;
use super::writer::Expr;
use crate::compile::CompileError;
use crate::compile::ir::{Object, Type, Value};
use crate::module::AtomicOp;

impl Kernel<'_> {
    /// An atomic operation. The old value, or 0 outside.
    pub(super) fn atomic(
        &mut self,
        object: Object,
        op: AtomicOp,
        index: Value,
        value: Value,
    ) -> Result<Expr, CompileError> {
        let operand = self.value(value);
        self.guarded_atomic(object, index, |kernel| {
            let pointer = kernel.pointer(object, index)?;
            let fun = match op {
                AtomicOp::Add => AtomicFunction::Add,
                AtomicOp::Sub => AtomicFunction::Subtract,
                AtomicOp::And => AtomicFunction::And,
                AtomicOp::Or => AtomicFunction::InclusiveOr,
                AtomicOp::Xor => AtomicFunction::ExclusiveOr,
                AtomicOp::MinU => AtomicFunction::Min,
                AtomicOp::MaxU => AtomicFunction::Max,
                AtomicOp::Exchange => AtomicFunction::Exchange { compare: None },
                AtomicOp::MinS => {
                    return Ok(kernel.signed_extreme(pointer, operand, BinaryOperator::Less));
                }
                AtomicOp::MaxS => {
                    return Ok(kernel.signed_extreme(pointer, operand, BinaryOperator::Greater));
                }
            };
            let ty = kernel.interface.scalar(Scalar::U32);
            let result = kernel.writer.push_fixed(Expression::AtomicResult {
                ty,
                comparison: false,
            });
            kernel.writer.statement(Statement::Atomic {
                pointer,
                fun,
                value: operand,
                result: Some(result),
            });
            Ok(result)
        })
    }

    /// An atomic compare-exchange. The old value, or 0 outside.
    pub(super) fn compare_exchange(
        &mut self,
        object: Object,
        index: Value,
        expected: Value,
        value: Value,
    ) -> Result<Expr, CompileError> {
        let [expected, operand] = self.all_values([expected, value]);
        self.guarded_atomic(object, index, |kernel| {
            let pointer = kernel.pointer(object, index)?;
            let old = kernel.local("old".to_owned(), Type::I32);
            // The exchange of WGSL may fail although the word is the expected one.
            let outer = kernel.writer.begin_block();
            let (found, is_done) = kernel.exchange_once(pointer, expected, operand);
            kernel.writer.store(old, found);
            let differs = kernel
                .writer
                .binary(BinaryOperator::NotEqual, found, expected);
            let ends = kernel
                .writer
                .binary(BinaryOperator::LogicalOr, is_done, differs);
            kernel.end_loop(ends, outer);
            Ok(kernel.writer.load(old))
        })
    }

    fn signed_extreme(&mut self, pointer: Expr, operand: Expr, order: BinaryOperator) -> Expr {
        let old = self.local("old".to_owned(), Type::I32);
        let outer = self.writer.begin_block();
        let found = self.writer.load(pointer);
        self.writer.store(old, found);
        let signed = [operand, found].map(|word| self.writer.bitcast(word, ScalarKind::Sint));
        let is_new = self.writer.binary(order, signed[0], signed[1]);
        let best = self.writer.select(is_new, operand, found);
        let (_, is_done) = self.exchange_once(pointer, found, best);
        self.end_loop(is_done, outer);
        self.writer.load(old)
    }

    /// The old value, and whether it was exchanged.
    fn exchange_once(&mut self, pointer: Expr, expected: Expr, value: Expr) -> (Expr, Expr) {
        let ty = PredeclaredType::AtomicCompareExchangeWeakResult(Scalar::U32);
        let ty = self.interface.module.generate_predeclared_type(ty);
        let result = self.writer.push_fixed(Expression::AtomicResult {
            ty,
            comparison: true,
        });
        self.writer.statement(Statement::Atomic {
            pointer,
            fun: AtomicFunction::Exchange {
                compare: Some(expected),
            },
            value,
            result: Some(result),
        });
        let found = self.writer.member(result, 0);
        let is_done = self.writer.member(result, 1);
        (found, is_done)
    }

    /// The end of a loop that is left under a condition.
    fn end_loop(&mut self, condition: Expr, outer: naga::Block) {
        self.writer
            .when(condition, |writer| writer.statement(Statement::Break));
        let body = self.writer.end_block(outer);
        self.writer.statement(Statement::Loop {
            body,
            continuing: naga::Block::new(),
            break_if: None,
        });
    }

    fn guarded_atomic(
        &mut self,
        object: Object,
        index: Value,
        body: impl FnOnce(&mut Self) -> Result<Expr, CompileError>,
    ) -> Result<Expr, CompileError> {
        if self.is_never_inside(object, index) {
            return Ok(self.hidden_zero(Type::I32));
        }
        let Some(guard) = self.effect_guard(object, index) else {
            return body(self);
        };
        let result = self.local("before".to_owned(), Type::I32);
        let zero = self.writer.u32(0);
        self.writer.store(result, zero);
        self.when(guard, |kernel| {
            let old = body(kernel)?;
            kernel.writer.store(result, old);
            Ok(())
        })?;
        Ok(self.writer.load(result))
    }
}
