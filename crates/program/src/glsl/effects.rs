//! Side-effect analysis of GLSL functions.
//!
//! In: a module from naga's GLSL front end, in which functions keep their names. Out: the names of functions with side
//! effects: they write global variables, images or parameters, use barriers, atomics or `discard`, or call a function
//! that does. The set is a fixpoint: functions are added until nothing changes. What always holds: an overloaded name
//! counts if one of its overloads has side effects.

use std::collections::HashSet;

use naga::{Expression, Function, Handle, Module, Statement, TypeInner};

use crate::walk;

/// Name prefixes of builtin functions with side effects.
const BUILT_IN: &[&str] = &[
    "atomic",
    "imageAtomic",
    "imageStore",
    "subgroup",
    "barrier",
    "memoryBarrier",
    "modf",
    "frexp",
    "uaddCarry",
    "usubBorrow",
    "umulExtended",
    "imulExtended",
];

/// The names of functions with side effects.
pub(super) struct Effects<'a> {
    names: HashSet<&'a str>,
    /// All names of functions of the module; they shadow builtin functions.
    own: HashSet<&'a str>,
}

impl<'a> Effects<'a> {
    pub(super) fn of(module: &'a Module) -> Self {
        let functions = || module.functions.iter().map(|(_, function)| function);
        let mut names: HashSet<&str> = functions()
            .filter(|function| writes_parameters(function, module))
            .filter_map(|function| function.name.as_deref())
            .collect();
        let mut writers = HashSet::new();
        loop {
            let before = writers.len();
            for (handle, function) in module.functions.iter() {
                let body = EffectScan {
                    function,
                    writers: &writers,
                };
                if body.writes() {
                    writers.insert(handle);
                }
            }
            if writers.len() == before {
                break;
            }
        }
        let named = |handle: &Handle<Function>| module.functions[*handle].name.as_deref();
        names.extend(writers.iter().filter_map(named));
        let own = functions()
            .filter_map(|function| function.name.as_deref())
            .collect();
        Self { names, own }
    }

    /// Whether a call of a function with this name may have side effects.
    pub(super) fn has(&self, name: &str) -> bool {
        let is_built_in =
            !self.own.contains(name) && BUILT_IN.iter().any(|prefix| name.starts_with(prefix));
        is_built_in || self.names.contains(name)
    }
}

fn writes_parameters(function: &Function, module: &Module) -> bool {
    function.arguments.iter().any(|argument| {
        matches!(
            module.types[argument.ty].inner,
            TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. }
        )
    })
}

/// A function, and the functions already known to have side effects.
struct EffectScan<'a> {
    function: &'a Function,
    writers: &'a HashSet<Handle<Function>>,
}

impl EffectScan<'_> {
    fn writes(&self) -> bool {
        walk::statements(&self.function.body).any(|statement| match statement {
            Statement::Emit(_)
            | Statement::Break
            | Statement::Continue
            | Statement::Return { .. }
            | Statement::Block(_)
            | Statement::If { .. }
            | Statement::Switch { .. }
            | Statement::Loop { .. } => false,
            Statement::Store { pointer, .. } => !self.is_own(*pointer),
            Statement::Call {
                function,
                arguments,
                ..
            } => {
                self.writers.contains(function)
                    || arguments.iter().any(|argument| self.leads_out(*argument))
            }
            // Barriers, atomics, image stores, `discard`.
            _ => true,
        })
    }

    /// Whether a pointer leads to a local variable or a parameter. Functions with pointer parameters are added
    /// separately.
    fn is_own(&self, pointer: Handle<Expression>) -> bool {
        matches!(
            self.root(pointer),
            Expression::LocalVariable(_) | Expression::FunctionArgument(_)
        )
    }

    /// Whether an argument points to a global variable.
    fn leads_out(&self, argument: Handle<Expression>) -> bool {
        matches!(self.root(argument), Expression::GlobalVariable(_))
    }

    fn root(&self, mut at: Handle<Expression>) -> &Expression {
        loop {
            at = match &self.function.expressions[at] {
                Expression::Access { base, .. } | Expression::AccessIndex { base, .. } => *base,
                root => return root,
            };
        }
    }
}
