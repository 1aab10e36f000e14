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
mod options;
mod pass;
mod structure;

pub use error::CompileError;
pub use interface::{BindingRole, CompiledKernel, KernelBinding, ParamWord, StatusLayout};
pub use options::CompileOptions;
