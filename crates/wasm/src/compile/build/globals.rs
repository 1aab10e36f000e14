//! Globals: the mutable ones are state variables, the others constants.
//!
//! In: a linked module and the globals that the kernel can set. Out: [`Globals`]. A mutable global
//! that no reachable function sets is its initial value. The stack pointer starts as
//! [`Op::StackPointer`], also if nothing sets it.

use std::collections::HashMap;

use super::calls::Calls;
use super::written::Variable;
use crate::compile::ir::{Function, Op, Type, Value};
use crate::module::{ConstantValue, Definitions, LinkedModule};

/// The globals of a kernel.
pub(super) struct Globals {
    /// The globals that are state variables, by index in the module.
    pub variables: Vec<u32>,
    /// The variable of each of them.
    variable_of: HashMap<u32, Variable>,
}

impl Globals {
    /// The globals that the kernel can set.
    pub(super) fn new(calls: &Calls) -> Self {
        let variables: Vec<u32> = calls.globals.iter().copied().collect();
        let variable_of = variables.iter().copied().zip(0..).collect();
        Self {
            variables,
            variable_of,
        }
    }

    /// The state variable of a global; `None` if it never changes.
    pub(super) fn variable(&self, global: u32) -> Option<Variable> {
        self.variable_of.get(&global).copied()
    }
}

/// The initial value of a global, by index in the module; `None` for a reference to a function of
/// another module.
pub(super) fn initial(
    function: &mut Function,
    (linked, definitions): (&LinkedModule<'_>, &Definitions),
    calls: &Calls,
    global: u32,
) -> Option<Value> {
    let id = linked.globals[global as usize];
    let pointer = linked.statics.and_then(|statics| statics.stack_pointer);
    if pointer == Some(id) {
        return Some(function.floating(Op::StackPointer, Type::I32));
    }
    let global = definitions.globals[id as usize];
    let bits = match global.value {
        ConstantValue::Bits(bits) => bits,
        ConstantValue::Function(id) => reference(calls.index(id)?),
    };
    Some(function.constant(Type::of(global.ty), bits))
}

/// The bits of a reference to a function: its index in the module plus 1, so that 0 is null.
pub(super) fn reference(function: u32) -> u64 {
    u64::from(function) + 1
}

/// Whether a global belongs to another module, which may have changed it.
pub(super) fn is_foreign(
    linked: &LinkedModule<'_>,
    definitions: &Definitions,
    global: u32,
) -> bool {
    let imported = linked.globals.len() - linked.module.globals.len();
    let id = linked.globals[global as usize];
    (global as usize) < imported && definitions.globals[id as usize].mutable
}
