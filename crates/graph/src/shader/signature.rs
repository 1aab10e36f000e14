//! Checks the signature of a node's function.
//!
//! In: the parsed source with the prelude. Out: the parameters in order, or the violated rule.

use anywarp_program::naga::{
    AddressSpace, Function, GlobalVariable, Handle, ScalarKind, Statement, TypeInner, VectorSize,
};
use anywarp_program::{Program, walk};

use super::ShaderError;
use super::entry_point::{ARGUMENTS, Argument};
use crate::layout::RUNTIME_GROUP;
use crate::model::{Launch, ResolvedNode};

pub(super) struct Signature<'a> {
    pub(super) program: &'a Program,
    pub(super) node: &'a ResolvedNode,
    pub(super) function: &'a str,
    /// End offset of the user's sources in the text.
    pub(super) users_end: usize,
}

impl Signature<'_> {
    /// The parameters of the function, all of them known.
    pub(super) fn check(&self, file: &str) -> Result<Vec<&'static Argument>, ShaderError> {
        self.check_groups()?;
        let module = self.program.module();
        let mut functions = module.functions.iter();
        let is_it = |(handle, function): &(Handle<Function>, &Function)| {
            function.name.as_deref() == Some(self.function)
                && self.is_users(module.functions.get_span(*handle))
        };
        let Some((handle, function)) = functions.find(is_it) else {
            return Err(ShaderError::NoFunction {
                node: self.node.id.clone(),
                file: file.to_owned(),
                function: self.function.to_owned(),
            });
        };
        if function.result.is_some() {
            return Err(ShaderError::Returns {
                node: self.node.id.clone(),
                function: self.function.to_owned(),
            });
        }
        if self.node.launch == Launch::Thread && self.waits(handle) {
            return Err(ShaderError::ThreadNodeBarrier {
                node: self.node.id.clone(),
            });
        }
        self.arguments(function)
    }

    fn is_users(&self, span: anywarp_program::naga::Span) -> bool {
        span.to_range()
            .is_none_or(|range| range.start < self.users_end)
    }

    fn arguments(&self, function: &Function) -> Result<Vec<&'static Argument>, ShaderError> {
        let types = &self.program.module().types;
        let known = |argument: &&Argument| self.node.has_argument(argument.name);
        function
            .arguments
            .iter()
            .map(|argument| {
                let name = argument.name.as_deref().unwrap_or_default();
                let is_vector = match types[argument.ty].inner {
                    TypeInner::Scalar(scalar) if scalar.kind == ScalarKind::Uint => Some(false),
                    TypeInner::Vector {
                        size: VectorSize::Tri,
                        scalar,
                    } if scalar.kind == ScalarKind::Uint => Some(true),
                    _ => None,
                };
                let found = ARGUMENTS
                    .iter()
                    .filter(known)
                    .find(|argument| argument.name == name);
                found
                    .filter(|argument| Some(argument.is_vector) == is_vector)
                    .ok_or_else(|| self.unknown_argument(name))
            })
            .collect()
    }

    fn unknown_argument(&self, name: &str) -> ShaderError {
        let known = ARGUMENTS
            .iter()
            .filter(|argument| self.node.has_argument(argument.name));
        let known = known.map(|argument| {
            let ty = if argument.is_vector {
                "vec3<u32>"
            } else {
                "u32"
            };
            format!("`{}: {ty}`", argument.name)
        });
        let mut known = known.collect::<Vec<_>>().join(", ");
        if known.is_empty() {
            "none".clone_into(&mut known);
        }
        ShaderError::Argument {
            node: self.node.id.clone(),
            function: self.function.to_owned(),
            argument: name.to_owned(),
            known,
        }
    }

    fn check_groups(&self) -> Result<(), ShaderError> {
        let variables = &self.program.module().global_variables;
        let in_group = |variable: &GlobalVariable| {
            let binding = variable.binding.as_ref();
            binding.is_some_and(|binding| binding.group >= RUNTIME_GROUP)
        };
        let found = variables.iter().find(|(handle, variable)| {
            in_group(variable) && self.is_users(variables.get_span(*handle))
        });
        match found {
            None => Ok(()),
            Some((_, variable)) => Err(ShaderError::ReservedGroup {
                node: self.node.id.clone(),
                name: variable.name.clone().unwrap_or_default(),
            }),
        }
    }

    /// Whether a function or one of its callees has a barrier or uses workgroup memory.
    fn waits(&self, root: Handle<Function>) -> bool {
        let module = self.program.module();
        let mut functions = walk::reachable(module, &module.functions[root]);
        functions.push(root);
        functions.into_iter().any(|handle| {
            let info = &self.program.info()[handle];
            let uses_memory = module.global_variables.iter().any(|(variable, declared)| {
                declared.space == AddressSpace::WorkGroup && !info[variable].is_empty()
            });
            uses_memory || walk::statements(&module.functions[handle].body).any(is_barrier)
        })
    }
}

fn is_barrier(statement: &Statement) -> bool {
    matches!(
        statement,
        Statement::ControlBarrier(_)
            | Statement::MemoryBarrier(_)
            | Statement::WorkGroupUniformLoad { .. }
    )
}
