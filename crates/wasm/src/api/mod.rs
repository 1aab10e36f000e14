//! The interface for embedders: engines, modules and kernels.
//!
//! In: the bytes of a WebAssembly module, an [`Engine`], and [`Resources`](crate::Resources). Out: how each
//! thread of a launch ended, and the changed resources. A [`Module`] belongs to the engine that it was
//! created for, and hides how that engine represents it: bytecode today.
//!
//! What always holds: every handle is `Send` and `Sync` and cheap to clone; a launch is checked (name,
//! number and types of arguments, bindings, limits) before any thread runs.

mod engine;
mod kernel;
mod module;

pub use engine::Engine;
pub use kernel::Kernel;
pub use module::Module;
