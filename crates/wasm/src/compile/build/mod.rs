//! Builds the IR: WebAssembly function bodies to one [`Function`] in SSA form, with all calls
//! inlined.
//!
//! In: a linked module and the index of a kernel. Out: its IR, which addresses linear memory.
//!
//! The operand stack is interpreted abstractly, and SSA form is made on the fly: the state (mutable
//! globals, then the locals of the current function) is a vector of values. Where control flow
//! joins, those variables become block parameters that the joined construct writes (a pre-scan of
//! each body finds them) and whose values differ. At loop headers, which are entered before their
//! back edges are known, all written variables do.
//!
//! - Checks are explicit: [`Op::TrapIf`](super::ir::Op) before divisions and conversions. An access
//!   to memory has its own.
//! - A call of a function that never returns is the end of its block: [`Terminator::Trap`].
//! - What always holds: nothing recurses, so that nesting and call depth cost no stack; work and
//!   size are bounded by [`CompileOptions::max_instructions`].
//!
//! | file | what |
//! |---|---|
//! | `summary`, `calls` | the call graph, functions that never return, effects |
//! | `written`, `globals` | which state variables there are, and what writes them |
//! | `builder` | the state of the interpretation, budget, trap sites |
//! | `control`, `join` | blocks, loops, branches; values where edges meet |
//! | `inline`, `dispatch`, `host`, `traps` | calls: direct, through tables, of the host, of panics |
//! | `operators`, `numeric`, `conditions`, `conversions`, `access` | the operators |
//! | `kernel` | what does not depend on the body: arguments, start function, segments |

mod access;
mod builder;
mod calls;
mod conditions;
mod control;
mod conversions;
mod dispatch;
mod globals;
mod host;
mod inline;
mod join;
mod kernel;
mod numeric;
#[cfg(test)]
mod official;
mod operators;
#[cfg(all(test, feature = "vm"))]
mod random;
mod summary;
#[cfg(test)]
mod tests;
mod traps;
mod written;

use super::ir::{Function, Terminator, Type};
use super::{CompileError, CompileOptions};
use crate::module::{Definitions, LinkedModule};
use builder::Builder;
use calls::Calls;
pub(crate) use kernel::ModuleFacts;

/// Builds the IR of a function, by its index in the module.
pub(crate) fn build(
    module: &LinkedModule<'_>,
    definitions: &Definitions,
    function: u32,
    options: &CompileOptions,
) -> Result<Function, CompileError> {
    ModuleFacts::new(module, definitions).check()?;
    kernel::check_signature(module, function)?;
    let calls = Calls::new(module, function)?;
    let mut builder = Builder::new(module, definitions, calls, (function, options))?;
    builder.function.name = kernel::name(module, function);
    builder.function.arguments = kernel::arguments(module, function);
    builder.function.results = kernel::results(module, function);
    let arguments = kernel::argument_values(&mut builder.function, module, function);
    builder.stack.extend(arguments);
    builder.call(function)?;
    while builder.step()? {}
    if builder.is_live {
        let results = std::mem::take(&mut builder.stack);
        let results = results.into_iter().map(|value| builder.number(value));
        let results = results.collect();
        builder.finish(Terminator::Return(results));
    }
    let Builder { function, .. } = builder;
    debug_assert_eq!(super::ir::verify(&function), Ok(()));
    Ok(function)
}

/// The type of a number: conditions are numbers of 32 bits.
fn number_type(ty: Type) -> Type {
    match ty {
        Type::Bool => Type::I32,
        ty => ty,
    }
}

fn unsupported(
    module: &LinkedModule<'_>,
    function: u32,
    offset: u64,
    feature: impl Into<String>,
) -> CompileError {
    CompileError::Unsupported {
        feature: feature.into(),
        function: module.function_names[function as usize].clone(),
        offset: u32::try_from(offset).unwrap_or(u32::MAX),
    }
}
