//! Invocations that end inside of functions.
//!
//! `OpKill` and `OpTerminateInvocation` end an invocation. WGSL's `discard` does not: the invocation goes
//! on as a helper, whose effects nobody sees, and a function that discards still returns. So far this
//! differs only in what a helper computes, until a loop of its callers waits for something that such a
//! helper never gets. So where a module has loops, a function that others call and that ends invocations
//! remembers it in a private variable, and its callers return when they find it set.

use std::collections::HashSet;

use anywarp_program::naga::{self, Handle, Scalar, TypeInner};
use rspirv::spirv::Op;

use super::Reader;
use crate::error::Result;
use crate::module::{Id, Module};

/// Who ends invocations.
#[derive(Debug, Default)]
pub(crate) struct Terminations {
    /// Functions that are called, and end invocations or call such functions.
    functions: HashSet<Id>,
    flag: Option<Handle<naga::GlobalVariable>>,
}

impl Terminations {
    /// `functions` come behind those that they call.
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
    /// The variable in which a function remembers that the invocation has ended, if its callers ask.
    pub(crate) fn termination_flag(
        &mut self,
        function: Id,
    ) -> Option<Handle<naga::GlobalVariable>> {
        if !self.terminations.functions.contains(&function) {
            return None;
        }
        if self.terminations.flag.is_none() {
            let variable = naga::GlobalVariable {
                name: Some("is_killed".to_owned()),
                space: naga::AddressSpace::Private,
                binding: None,
                ty: self.insert_type(TypeInner::Scalar(Scalar::BOOL)),
                init: None,
                memory_decorations: naga::MemoryDecorations::empty(),
            };
            let variables = &mut self.module.global_variables;
            self.terminations.flag = Some(variables.append(variable, self.span));
        }
        self.terminations.flag
    }
}
