//! Loads and stores of objects.

use naga::{BinaryOperator, ScalarKind};

use super::interface::Storage;
use super::kernel::Kernel;
use super::unsupported;
use super::writer::Expr;
use crate::compile::CompileError;
use crate::compile::ir::{Element, Object, Type, Value};

impl Kernel<'_> {
    /// The place of a word.
    pub(super) fn pointer(&mut self, object: Object, index: Value) -> Result<Expr, CompileError> {
        let at = object.0 as usize;
        let Some(storage) = self.interface.storage[at] else {
            return Err(unsupported(self.function, "memory that is not declared"));
        };
        match storage {
            Storage::Global(variable) => {
                let base = self.writer.global(variable);
                Ok(self.element(base, index, None))
            }
            Storage::Part(variable, from) => {
                let base = self.writer.global(variable);
                let from = (from > 0).then(|| self.writer.u32(from));
                Ok(self.element(base, index, from))
            }
            Storage::OfThread(variable, words) => {
                let base = self.writer.global(variable);
                let words = self.writer.u32(words);
                let thread = self.thread.unwrap_or(words);
                let from = self.writer.binary(BinaryOperator::Multiply, thread, words);
                Ok(self.element(base, index, Some(from)))
            }
            Storage::Private => {
                let Some(variable) = self.private[at] else {
                    return Err(unsupported(self.function, "memory that is not declared"));
                };
                if self.scan.objects[at].words == Some(1) {
                    return Ok(variable);
                }
                Ok(self.element(variable, index, None))
            }
        }
    }

    fn element(&mut self, base: Expr, index: Value, from: Option<Expr>) -> Expr {
        // naga refuses constant indices that are outside; those have a guard.
        if let (Some(index), None) = (self.function.as_word(index), from)
            && index < 1 << 16
        {
            return self.writer.member(base, index);
        }
        let index = self.value(index);
        let index = match from {
            Some(from) => self.writer.binary(BinaryOperator::Add, from, index),
            None => index,
        };
        self.writer.access(base, index)
    }

    /// Whether an index is a constant outside the object. No object has more than 4 GiB.
    pub(super) fn is_never_inside(&self, object: Object, index: Value) -> bool {
        const MOST_WORDS: u32 = 1 << 30;
        let words = self.known_words(object).unwrap_or(MOST_WORDS);
        self.function
            .as_word(index)
            .is_some_and(|index| index >= words)
    }

    /// The type of an object's words.
    pub(super) fn element_type(&self, object: Object) -> Type {
        match self.scan.objects[object.0 as usize].element {
            Element::F32 => Type::F32,
            Element::U32 | Element::AtomicU32 => Type::I32,
        }
    }

    /// A word as another type of the same size.
    pub(super) fn cast_word(&mut self, value: Expr, from: Type, to: Type) -> Expr {
        match (from, to) {
            (Type::F32, Type::I32) => self.writer.bitcast(value, ScalarKind::Uint),
            (Type::I32, Type::F32) => self.writer.bitcast(value, ScalarKind::Float),
            _ => value,
        }
    }

    /// A load, of the type of the object's words: 0 outside.
    pub(super) fn object_load(
        &mut self,
        object: Object,
        index: Value,
    ) -> Result<Expr, CompileError> {
        let element = self.element_type(object);
        let zero = self
            .literal(element, 0)
            .unwrap_or_else(|| self.writer.u32(0));
        if self.is_never_inside(object, index) {
            return Ok(self.hidden_zero(element));
        }
        let guard = self.guard(object, index);
        let pointer = self.pointer(object, index)?;
        let loaded = self.writer.load(pointer);
        Ok(match guard {
            Some(is_inside) => self.writer.select(is_inside, loaded, zero),
            None => loaded,
        })
    }

    /// A zero that is not a constant expression: naga refuses divisors that are.
    pub(super) fn hidden_zero(&mut self, ty: Type) -> Expr {
        let zero = self.local("zero".to_owned(), ty);
        self.writer.load(zero)
    }

    /// A store: no effect outside.
    pub(super) fn object_store(
        &mut self,
        object: Object,
        index: Value,
        value: Value,
    ) -> Result<(), CompileError> {
        if self.is_never_inside(object, index) {
            return Ok(());
        }
        let guard = self.effect_guard(object, index);
        let from = self.function.ty(value);
        let element = self.element_type(object);
        let value = self.value(value);
        let value = self.cast_word(value, from, element);
        self.when_some(guard, |kernel| {
            let pointer = kernel.pointer(object, index)?;
            // A store to an atomic is an atomic store.
            kernel.writer.store(pointer, value);
            Ok(())
        })
    }

    /// The condition of an effect on memory: the index is inside, and the invocation has not trapped.
    pub(super) fn effect_guard(&mut self, object: Object, index: Value) -> Option<Expr> {
        let guard = self.guard(object, index);
        let is_own = matches!(
            self.interface.storage[object.0 as usize],
            Some(Storage::Private)
        );
        let runs = if is_own { None } else { self.has_not_trapped() };
        match (guard, runs) {
            (Some(guard), Some(runs)) => {
                Some(self.writer.binary(BinaryOperator::LogicalAnd, guard, runs))
            }
            (guard, runs) => guard.or(runs),
        }
    }

    /// Statements under a condition, if there is one.
    pub(super) fn when_some(
        &mut self,
        condition: Option<Expr>,
        body: impl FnOnce(&mut Self) -> Result<(), CompileError>,
    ) -> Result<(), CompileError> {
        match condition {
            Some(condition) => self.when(condition, body),
            None => body(self),
        }
    }
}
