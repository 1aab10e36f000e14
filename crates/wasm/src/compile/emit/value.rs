//! Uses and definitions of values.

use naga::ScalarKind;

use super::kernel::Kernel;
use super::writer::Expr;
use crate::compile::ir::{Block, Op, Type, Value};

impl Kernel<'_> {
    /// A value that is used here.
    pub(super) fn value(&mut self, value: Value) -> Expr {
        let at = value.0 as usize;
        if let Some(known) = self.values[at]
            && self.is_in_scope(value)
        {
            return known;
        }
        if let Op::Const(bits) = *self.function.op(value) {
            let ty = self.function.ty(value);
            return self
                .literal(ty, bits)
                .unwrap_or_else(|| self.writer.bool(false));
        }
        let variable = self.variable(value);
        self.writer.load(variable)
    }

    fn is_in_scope(&self, value: Value) -> bool {
        match self.uses.home[value.0 as usize] {
            // A floating value.
            None => true,
            Some(home) => {
                self.stub == Some(home)
                    || self.closing.is_some()
                        && self.closing == self.uses.loop_of_body[home.0 as usize]
                    || self.regions.placement.is_in_scope(home, self.at)
            }
        }
    }

    /// The variable of a value.
    pub(super) fn variable(&mut self, value: Value) -> Expr {
        if let Some(known) = self.variables[value.0 as usize] {
            return known;
        }
        let variable = self.local(value.to_string(), self.function.ty(value));
        self.variables[value.0 as usize] = Some(variable);
        variable
    }

    /// Defines a value.
    pub(super) fn define(&mut self, value: Value, expression: Expr) {
        self.values[value.0 as usize] = Some(expression);
        if self.uses.is_stored[value.0 as usize] {
            let variable = self.variable(value);
            self.writer.store(variable, expression);
        }
    }

    /// Reads the parameters of a block.
    pub(super) fn read_params(&mut self, block: Block) {
        if std::mem::take(&mut self.is_bound) {
            return;
        }
        for &param in &self.function.block(block).params {
            if self.uses.is_used[param.0 as usize] {
                let variable = self.variable(param);
                let value = self.writer.load(variable);
                self.values[param.0 as usize] = Some(value);
            }
        }
    }

    /// Assigns variables, all at once: the values are expressions that were evaluated before.
    pub(super) fn copies(&mut self, pairs: &[(Value, Value)]) {
        let mut stores = Vec::new();
        for &(param, arg) in pairs {
            if self.uses.is_used[param.0 as usize] {
                stores.push((self.variable(param), self.value(arg)));
            }
        }
        for (variable, value) in stores {
            self.writer.store(variable, value);
        }
    }

    /// Makes parameters other names of values.
    pub(super) fn bind(&mut self, pairs: &[(Value, Value)]) {
        let values: Vec<_> = pairs
            .iter()
            .map(|&(param, arg)| (param, self.value(arg)))
            .collect();
        for (param, value) in values {
            self.define(param, value);
        }
        self.is_bound = true;
    }

    /// An integer as a signed one.
    pub(super) fn signed(&mut self, value: Value) -> Expr {
        let literal = self.function.as_const(value);
        let literal = literal.filter(|_| !self.scan.hidden.contains(&value));
        match (self.function.ty(value), literal) {
            (Type::I64, Some(bits)) => self.writer.i64(bits.cast_signed()),
            (_, Some(bits)) => self.writer.i32((bits as u32).cast_signed()),
            _ => {
                let bits = self.value(value);
                self.writer.bitcast(bits, ScalarKind::Sint)
            }
        }
    }

    /// The bits of a signed integer.
    pub(super) fn unsigned(&mut self, expression: Expr) -> Expr {
        self.writer.bitcast(expression, ScalarKind::Uint)
    }

    /// An unsigned literal of a type's size.
    pub(super) fn word(&mut self, ty: Type, bits: u64) -> Expr {
        match ty {
            Type::I64 | Type::F64 => self.writer.u64(bits),
            _ => self.writer.u32(bits as u32),
        }
    }
}
