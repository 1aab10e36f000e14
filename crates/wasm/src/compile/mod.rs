//! The compiled tier: a kernel of a linked module to a program.
//!
//! In: a linked module, the name of an export, and options. Out: a naga module with one compute entry point,
//! and the interface that a launch must follow.
//!
//! | stage | from | to |
//! |---|---|---|
//! | `build` | function bodies | the IR: one function, all calls inlined, addresses of linear memory |
//! | `pass` | IR | IR: fewer blocks, values and checks; counted loops |
//! | `memory` | linear memory | objects: bindings, static data, private variables, workgroup memory |
//! | `structure` | control-flow graph | structured control flow |
//! | `emit` | structured IR | a naga module |

mod analysis;
mod build;
mod emit;
mod error;
mod interface;
mod ir;
mod memory;
mod options;
mod pass;
mod structure;

pub use error::CompileError;
pub use interface::{BindingRole, CompiledKernel, KernelBinding, ParamWord, StatusLayout};
pub use memory::MemoryModel;
pub use options::CompileOptions;

use wasmparser::ExternalKind;

use crate::module::{Definitions, LinkedModule, decode};
use memory::MemoryLayout;

/// Compiles an exported function of a module as a kernel for a workgroup size.
///
/// # Errors
///
/// If the module is invalid, has no such export, or the kernel uses what only other tiers have.
pub fn compile(
    bytes: &[u8],
    name: &str,
    workgroup_size: [u32; 3],
    options: &CompileOptions,
) -> Result<CompiledKernel, CompileError> {
    let module = decode(bytes)?;
    let mut definitions = Definitions::default();
    let linked = LinkedModule::link(&module, &mut definitions)?;
    let function = exported_function(&linked, name)?;
    let mut ir = build::build(&linked, &definitions, function, options)?;
    pass::clean(&mut ir);
    pass::optimize(&mut ir);
    let layout = MemoryLayout::of(
        &linked,
        &definitions,
        options.memory,
        options.reserved_pages,
    );
    memory::resolve(&mut ir, &layout)?;
    pass::clean(&mut ir);
    emit::emit(&ir, workgroup_size)
}

/// The index in the module of an exported function; the last export with the name counts.
fn exported_function(linked: &LinkedModule<'_>, name: &str) -> Result<u32, CompileError> {
    let exports = linked.module.exports.iter().rev();
    let mut functions = exports
        .filter(|export| matches!(export.kind, ExternalKind::Func | ExternalKind::FuncExact));
    let found = functions.find(|export| export.name == name);
    found
        .map(|export| export.index)
        .ok_or_else(|| CompileError::UnknownKernel {
            name: name.to_owned(),
        })
}
