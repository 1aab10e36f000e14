//! Invocations that end inside a called function.
//!
//! `OpKill` and `OpTerminateInvocation` end an invocation. WGSL's `discard` only demotes it to a helper invocation,
//! and a function that discards still returns. The difference matters only if a loop in a caller waits for a value
//! that the helper never gets. So in a module with loops, a called function that ends invocations sets a private flag,
//! and its callers return when they find it set.

use std::collections::HashSet;

use anywarp_program::naga::{self, Handle, Scalar, TypeInner};
use rspirv::spirv::Op;

use super::Reader;
use crate::error::Result;
use crate::module::{Id, Module};

/// The functions that end invocations.
#[derive(Debug, Default)]
pub(crate) struct Terminations {
    /// Functions that are called, and that end invocations themselves or in a callee.
    functions: HashSet<Id>,
    flag: Option<Handle<naga::GlobalVariable>>,
}

impl Terminations {
    /// Finds the functions. `functions` are in callees-first order.
    pub(crate) fn find<'a>(
        spirv: &Module<'a>,
        functions: &[&'a crate::module::Function<'a>],
    ) -> Result<Self> {
        let has_loop = spirv.has(|op| op == Op::LoopMerge);
        let has_kill = spirv.has(|op| matches!(op, Op::Kill | Op::TerminateInvocation));
        if !has_loop || !has_kill {
            return Ok(Self::default());
        }
        let mut called = HashSet::new();
        let mut terminating = HashSet::new();
        for function in functions {
            let mut terminates = false;
            for block in &function.blocks {
                let end = block.terminator().op;
                terminates |= matches!(end, Op::Kill | Op::TerminateInvocation);
            }
            for call in &function.calls {
                let callee = call.id(0)?;
                called.insert(callee);
                terminates |= terminating.contains(&callee);
            }
            if terminates {
                terminating.insert(function.id);
            }
        }
        terminating.retain(|function| called.contains(function));
        Ok(Self {
            functions: terminating,
            flag: None,
        })
    }
}

impl Reader<'_> {
    /// The flag for a function that is called and may end the invocation; `None` for all others.
    pub(crate) fn termination_flag(
        &mut self,
        function: Id,
    ) -> Option<Handle<naga::GlobalVariable>> {
        if !self.translated.terminations.functions.contains(&function) {
            return None;
        }
        if self.translated.terminations.flag.is_none() {
            let variable = naga::GlobalVariable {
                name: Some("is_killed".to_owned()),
                space: naga::AddressSpace::Private,
                binding: None,
                ty: self.insert_type(TypeInner::Scalar(Scalar::BOOL)),
                init: None,
                memory_decorations: naga::MemoryDecorations::empty(),
            };
            let variables = &mut self.module.global_variables;
            self.translated.terminations.flag = Some(variables.append(variable, self.span));
        }
        self.translated.terminations.flag
    }
}
