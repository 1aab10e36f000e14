//! Alias analysis of pointer arguments.
//!
//! WGSL requires that the variable behind a pointer argument is accessed through this argument only: not through
//! another argument, and not by name in the function or its callees. SPIR-V allows both, for private variables, inputs
//! and outputs, and through two arguments also for function-local variables.
//!
//! In: the module's functions, callees first. Out: the parameters that receive an aliased argument in any call, and
//! the local variables that reach such a parameter. A call site specializes the function for these parameters (see
//! `specialized_pointers.rs`). These local variables become private variables, which is equivalent because nothing is
//! recursive.

use rspirv::spirv::{Op, StorageClass};

use crate::error::Result;
use crate::maps::{HashMap, HashSet};
use crate::module::{Function, Id, Instruction, Module};

/// The parameters and variables affected by aliasing.
#[derive(Debug, Default)]
pub(crate) struct AliasedPointers {
    /// Parameters for which calls specialize the function.
    pub(crate) parameters: HashSet<Id>,
    /// Local variables that become private variables.
    pub(crate) variables: HashSet<Id>,
}

/// A pointer argument of a call: the variable or parameter that it is based on, and the callee's parameter.
struct Argument {
    root: Id,
    parameter: Id,
}

impl AliasedPointers {
    /// Finds the aliased parameters. `functions` are in callees-first order.
    pub(crate) fn find<'a>(spirv: &Module<'a>, functions: &[&'a Function<'a>]) -> Result<Self> {
        let mut parameters: HashMap<Id, Vec<(Id, bool)>> = HashMap::default();
        let mut has_any = false;
        for function in functions {
            let mut own = Vec::new();
            for parameter in &function.parameters {
                let is_passed = passed_class(spirv, parameter).is_some();
                has_any |= is_passed;
                own.push((parameter.result()?, is_passed));
            }
            parameters.insert(function.id, own);
        }
        let mut found = Self::default();
        if !has_any {
            return Ok(found);
        }
        let globals = spirv.globals.iter();
        let private =
            globals.filter_map(|global| global.result.filter(|id| is_private(spirv, *id)));
        let private: HashSet<Id> = private.collect();
        let mut arguments = Vec::new();
        let mut reached: HashMap<Id, HashSet<Id>> = HashMap::default();
        for function in functions {
            let mut own = HashSet::default();
            if !private.is_empty() {
                for instruction in function.blocks.iter().flat_map(|block| block.body()) {
                    instruction.each_used(|id| own.extend(private.get(&id)));
                }
            }
            for call in &function.calls {
                let callee = call.id(0)?;
                let inside = reached.get(&callee);
                let taken = parameters.get(&callee).into_iter().flatten();
                let taken = call
                    .ids(1)
                    .zip(taken)
                    .filter(|(_, (_, is_passed))| *is_passed);
                let call: Vec<_> = taken
                    .map(|(id, (parameter, _))| Argument {
                        root: root(spirv, id),
                        parameter: *parameter,
                    })
                    .collect();
                for (at, argument) in call.iter().enumerate() {
                    let is_other =
                        |(n, other): (usize, &Argument)| n != at && other.root == argument.root;
                    if inside.is_some_and(|roots| roots.contains(&argument.root))
                        || call.iter().enumerate().any(is_other)
                    {
                        found.parameters.insert(argument.parameter);
                    }
                }
                own.extend(inside.into_iter().flatten());
                arguments.extend(call);
            }
            reached.insert(function.id, own);
        }
        found.spread(spirv, &arguments);
        Ok(found)
    }

    /// Propagates specialization from parameters to the roots of their arguments: a specialized pointer must be based
    /// on a variable of the module.
    fn spread(&mut self, spirv: &Module<'_>, arguments: &[Argument]) {
        let mut sources: HashMap<Id, Vec<Id>> = HashMap::default();
        for argument in arguments {
            sources
                .entry(argument.parameter)
                .or_default()
                .push(argument.root);
        }
        let mut open: Vec<Id> = self.parameters.iter().copied().collect();
        while let Some(parameter) = open.pop() {
            for root in sources.get(&parameter).into_iter().flatten() {
                match spirv.definition(*root).map(|definition| definition.op) {
                    Ok(Op::FunctionParameter) if self.parameters.insert(*root) => open.push(*root),
                    Ok(Op::Variable) if !is_private(spirv, *root) => {
                        self.variables.insert(*root);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// The storage class of a parameter or variable whose pointer WGSL can pass as a pointer; `None` for others.
fn passed_class(spirv: &Module<'_>, instruction: &Instruction<'_>) -> Option<StorageClass> {
    let ty = spirv.definition(instruction.result_type?).ok()?;
    let class = StorageClass::from_u32(ty.optional(0).filter(|_| ty.op == Op::TypePointer)?)?;
    let is_passed = matches!(
        class,
        StorageClass::Function | StorageClass::Private | StorageClass::Input | StorageClass::Output
    );
    is_passed.then_some(class)
}

/// Whether an id is a module-scope variable whose pointer WGSL can pass.
fn is_private(spirv: &Module<'_>, id: Id) -> bool {
    let Ok(definition) = spirv.definition(id) else {
        return false;
    };
    definition.op == Op::Variable
        && passed_class(spirv, &definition).is_some_and(|class| class != StorageClass::Function)
}

/// The variable or parameter on which a pointer is based.
fn root(spirv: &Module<'_>, pointer: Id) -> Id {
    let mut at = pointer;
    // The use-def chains of valid modules are acyclic; the bound ends the walk in others.
    for _ in 0..=u16::MAX {
        let next = spirv.definition(at).ok().filter(|definition| {
            matches!(
                definition.op,
                Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject
            )
        });
        match next.and_then(|definition| definition.optional(0)) {
            Some(base) => at = Id(base),
            None => break,
        }
    }
    at
}
