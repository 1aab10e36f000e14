//! A structured function to a naga module.
//!
//! In: a function whose memory accesses are object operations ([`memory`](super) has run), and a workgroup size. Out:
//! a [`CompiledKernel`]: a naga module with one compute entry point, and the interface of a launch.
//!
//! | IR | naga |
//! |---|---|
//! | `I32`, `I64` | `u32`, `u64`; signed operations cast their operands |
//! | a floating value | an expression at the beginning of the entry point, or a literal |
//! | an instruction | an expression that is evaluated at its place; a local variable too if it is used out of its scope |
//! | a block parameter | a local variable, which is read at the beginning of the block |
//! | an object | a global variable, or a local one for memory of the invocation |
//! | a trap | a call of the function `trap`, which writes the status of the thread, and a return |
//!
//! What always holds: instructions that read memory are evaluated in the order of the IR; expressions nest to a limited
//! depth, because naga recurses over those that have no name.
//!
//! Threads with an index of at least `params.threads` return at the entry, unless the kernel has barriers: then all
//! invocations run, and a launch must consist of whole workgroups. With barriers, an invocation that traps goes on
//! without effects so that it reaches the barriers; it leaves loops that have none. A [`Terminator::Trap`] on the way to a
//! barrier is refused.
//!
//! [`Terminator::Trap`]: super::ir::Terminator::Trap

mod access;
mod atomic;
mod binary;
mod bounds;
mod control;
mod convert;
mod float;
mod floating;
mod host;
mod instruction;
mod integer;
mod interface;
mod kernel;
mod names;
mod scan;
mod trap;
mod unary;
mod uses;
mod value;
mod writer;

#[cfg(test)]
mod tests;

pub(crate) use bounds::Guards;

use super::ir::{Function, verify};
use super::structure::structure;
use super::{CompileError, CompiledKernel};

/// A function to a kernel, with explicit guards where an index may be outside its object.
pub(crate) fn emit(
    function: &Function,
    workgroup_size: [u32; 3],
) -> Result<CompiledKernel, CompileError> {
    emit_guarded(function, workgroup_size, Guards::Explicit)
}

/// A function to a kernel.
pub(crate) fn emit_guarded(
    function: &Function,
    workgroup_size: [u32; 3],
    guards: Guards,
) -> Result<CompiledKernel, CompileError> {
    debug_assert_eq!(verify(function), Ok(()));
    let regions = structure(function)?;
    kernel::Kernel::new(function, &regions, workgroup_size, guards)?.emit()
}

fn unsupported(function: &Function, feature: impl Into<String>) -> CompileError {
    CompileError::Unsupported {
        feature: feature.into(),
        function: function.name.clone(),
        offset: 0,
    }
}
