//! Where edges meet: block parameters for the values that differ.
//!
//! In: the edges into a block, each with a value for every written variable and every result. Out:
//! one value for each. A value that all edges agree on is available there, because its definition
//! dominates all of them and so the block. What always holds: an edge gets an argument for each
//! parameter, of the parameter's type.

use super::builder::Builder;
use super::number_type;
use crate::compile::ir::{Block, Edge, Type, Value};

/// An edge whose arguments are not written yet.
pub(super) struct Incoming {
    /// Where it comes from.
    pub block: Block,
    /// Which edge of the terminator it is.
    pub edge: usize,
    /// The values of the written variables, then the results.
    pub args: Vec<Value>,
}

impl Builder<'_> {
    /// Joins the edges into a block.
    pub(super) fn join(&mut self, block: Block, incoming: Vec<Incoming>) -> Vec<Value> {
        let count = incoming.first().map_or(0, |first| first.args.len());
        let mut values = Vec::with_capacity(count);
        let mut differing = Vec::new();
        let mut column = Vec::new();
        for at in 0..count {
            column.clear();
            column.extend(incoming.iter().map(|edge| edge.args[at]));
            if column.iter().all(|&value| value == column[0]) {
                values.push(column[0]);
                continue;
            }
            let ty = self.joined_type(&column);
            let param = self.function.add_param(block, ty);
            self.mark_address(param, &column);
            values.push(param);
            differing.push((at, ty));
        }
        for edge in incoming {
            let mut args = Vec::with_capacity(differing.len());
            for &(at, ty) in &differing {
                args.push(self.as_type(edge.block, edge.args[at], ty));
            }
            self.set_edge(edge.block, edge.edge, Edge { block, args });
        }
        values
    }

    /// The type of a join: a condition if all values are, or can be.
    pub(super) fn joined_type(&self, values: &[Value]) -> Type {
        let can_be = |value: &Value| {
            self.function.ty(*value) == Type::Bool
                || matches!(self.function.as_word(*value), Some(0 | 1))
        };
        let is_condition = |value: &Value| self.function.ty(*value) == Type::Bool;
        if values.iter().any(is_condition) && values.iter().all(can_be) {
            Type::Bool
        } else {
            number_type(self.function.ty(values[0]))
        }
    }

    /// A value as a [`joined_type`](Self::joined_type), converted at the end of a block.
    pub(super) fn as_type(&mut self, block: Block, value: Value, ty: Type) -> Value {
        match (ty, self.function.as_const(value)) {
            (Type::Bool, Some(bits)) => self.function.constant(Type::Bool, bits),
            (Type::Bool, None) => value,
            _ => self.number_in(block, value),
        }
    }

    /// Sets an edge of a block's end.
    pub(super) fn set_edge(&mut self, block: Block, edge: usize, to: Edge) {
        let terminator = &mut self.function.block_mut(block).terminator;
        if let Some(edge) = terminator.edges_mut().nth(edge) {
            *edge = to;
        }
    }
}
