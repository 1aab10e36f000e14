//! Traps and results: the words of a thread in the status buffer.

use naga::{
    BinaryOperator, Function as NagaFunction, FunctionArgument, Scalar, ScalarKind, Statement,
};

use super::kernel::Kernel;
use super::scan::words_of;
use super::writer::{Expr, Writer};
use crate::compile::ir::{Trap, Type, Value};
use crate::compile::{CompileError, ParamWord, StatusLayout};

impl Kernel<'_> {
    /// Declares the function that writes a trap.
    pub(super) fn declare_trap(&mut self) {
        let Some((layout, status)) = self.interface.status.filter(|_| self.scan.has_trap) else {
            return;
        };
        let ty = self.interface.scalar(Scalar::U32);
        let names = ["thread".to_owned(), "status_word".to_owned()].into_iter();
        let names = names.chain((0..layout.trap_words).map(|word| format!("word{word}")));
        let mut writer = Writer::default();
        writer.function = NagaFunction {
            name: Some("trap".to_owned()),
            arguments: names
                .map(|name| FunctionArgument {
                    name: Some(name),
                    ty,
                    binding: None,
                })
                .collect(),
            ..NagaFunction::default()
        };
        let thread = writer.argument(0);
        let words: Vec<_> = (1..layout.trap_words + 2)
            .map(|word| writer.argument(word))
            .collect();
        let status = writer.global(status);
        let body = |writer: &mut Writer| write_words(writer, status, layout, thread, 0, &words);
        // With barriers the threads beyond the last one run too.
        if self.scan.has_barrier
            && let Some(params) = self.interface.params_variable
            && let Some(index) = self
                .interface
                .params
                .iter()
                .position(|&word| word == ParamWord::Threads)
        {
            let params = writer.global(params);
            let threads = writer.member(params, index as u32);
            let threads = writer.load(threads);
            let is_inside = writer.binary(BinaryOperator::Less, thread, threads);
            writer.when(is_inside, body);
        } else {
            body(&mut writer);
        }
        let function = writer.finish();
        let functions = &mut self.interface.module.functions;
        self.trap_function = Some(functions.append(function, naga::Span::UNDEFINED));
    }

    /// Ends the invocation if a condition holds.
    pub(super) fn trap_if(
        &mut self,
        condition: Value,
        trap: Trap,
        words: &[Value],
    ) -> Result<(), CompileError> {
        if self.function.as_const(condition) == Some(0) {
            return Ok(());
        }
        let mut test = self.value(condition);
        let trapped = self.trapped;
        if let Some(runs) = self.has_not_trapped() {
            test = self.writer.binary(BinaryOperator::LogicalAnd, test, runs);
        }
        self.when(test, |kernel| {
            kernel.write_trap(trap, words);
            match trapped {
                Some(trapped) => {
                    let yes = kernel.writer.bool(true);
                    kernel.writer.store(trapped, yes);
                }
                None => kernel.writer.statement(Statement::Return { value: None }),
            }
            Ok(())
        })?;
        if trapped.is_none() {
            self.assume(condition, false);
        }
        Ok(())
    }

    /// Whether the invocation goes on with effects, if that is a question.
    pub(super) fn has_not_trapped(&mut self) -> Option<Expr> {
        let trapped = self.writer.load(self.trapped?);
        Some(self.writer.not(trapped))
    }

    /// Writes the status and the words of a trap.
    pub(super) fn write_trap(&mut self, trap: Trap, words: &[Value]) {
        let (Some(function), Some(thread), Some((layout, _))) =
            (self.trap_function, self.thread, self.interface.status)
        else {
            return;
        };
        let number = self.writer.u32(trap.0 + 1);
        let mut arguments = vec![thread, number];
        for &word in words {
            self.push_words(word, &mut arguments);
        }
        let zero = self.writer.u32(0);
        arguments.resize(2 + layout.trap_words as usize, zero);
        self.writer.statement(Statement::Call {
            function,
            arguments,
            result: None,
        });
    }

    /// Writes the results.
    pub(super) fn write_results(&mut self, values: &[Value]) {
        let (Some(thread), Some((layout, status))) = (self.thread, self.interface.status) else {
            return;
        };
        if layout.result_words == 0 {
            return;
        }
        let mut words = Vec::new();
        for &value in values {
            self.push_words(value, &mut words);
        }
        let status = self.writer.global(status);
        let mut condition = self.has_not_trapped();
        if self.scan.has_barrier
            && let Some(is_outside) = self.is_outside()
        {
            let is_inside = self.writer.not(is_outside);
            condition = Some(match condition {
                Some(runs) => self
                    .writer
                    .binary(BinaryOperator::LogicalAnd, runs, is_inside),
                None => is_inside,
            });
        }
        let first = 1 + layout.trap_words;
        let body = |writer: &mut Writer| write_words(writer, status, layout, thread, first, &words);
        match condition {
            Some(condition) => self.writer.when(condition, body),
            None => body(&mut self.writer),
        }
    }

    /// The words of a value, the low one first.
    fn push_words(&mut self, value: Value, words: &mut Vec<Expr>) {
        let ty = self.function.ty(value);
        if let Some(bits) = self.function.as_const(value) {
            let halves = [bits as u32, (bits >> 32) as u32].into_iter();
            words.extend(
                halves
                    .take(words_of(ty) as usize)
                    .map(|word| self.writer.u32(word)),
            );
            return;
        }
        let mut bits = self.value(value);
        if ty.is_float() {
            bits = self.writer.bitcast(bits, ScalarKind::Uint);
        } else if ty == Type::Bool {
            let [one, zero] = [1, 0].map(|bit| self.writer.u32(bit));
            bits = self.writer.select(bits, one, zero);
        }
        if words_of(ty) == 2 {
            words.push(self.writer.convert(bits, ScalarKind::Uint, 4));
            let count = self.writer.u32(32);
            let high = self.writer.binary(BinaryOperator::ShiftRight, bits, count);
            words.push(self.writer.convert(high, ScalarKind::Uint, 4));
        } else {
            words.push(bits);
        }
    }
}

/// Stores words of a thread.
fn write_words(
    writer: &mut Writer,
    status: Expr,
    layout: StatusLayout,
    thread: Expr,
    first: u32,
    words: &[Expr],
) {
    let size = writer.u32(layout.words());
    let from = writer.binary(BinaryOperator::Multiply, thread, size);
    for (index, &word) in (first..).zip(words) {
        let place = if index == 0 {
            from
        } else {
            let index = writer.u32(index);
            writer.binary(BinaryOperator::Add, from, index)
        };
        let pointer = writer.access(status, place);
        writer.store(pointer, word);
    }
}
