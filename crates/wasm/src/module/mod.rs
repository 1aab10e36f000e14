//! Decoding and linking of WebAssembly modules, independent of any back end.
//!
//! In: the bytes of modules, one after another, and the names under which later ones import from
//! earlier ones. Out: for each a [`LinkedModule`], whose indices are resolved to program-wide ones
//! ([`Definitions`]). A back end lowers its function bodies; `callgraph` and `noreturn` analyse what
//! it made of them ([`FunctionBody`]).
//!
//! What always holds: linking a module only appends to the definitions, and a rejected module leaves
//! them unchanged. Nothing here depends on bytecode or on an executor, which `tests/layers.rs` checks.

mod callgraph;
mod decode;
mod definitions;
mod host;
mod immutable_tables;
mod imports;
mod link;
mod names;
mod noreturn;
mod statics;
mod types;

pub(crate) use callgraph::{CallGraph, CallSite, FunctionBody, Roots, build, possible_recursion};
pub(crate) use decode::{Constant, Module, constant, decode, value_type};
pub use definitions::ModuleId;
pub(crate) use definitions::{Checkpoint, Definition, Definitions, FunctionId, to_u32};
pub use host::{AtomicOp, Host, HostFunction, IMPORT_MODULES, Import, import, imports};
pub(crate) use immutable_tables::MAX_DISPATCH;
pub(crate) use link::{ConstantValue, LinkedModule, active_element, element_constants};
pub(crate) use noreturn::Exits;
#[cfg(feature = "compiled")]
pub(crate) use noreturn::is_rust_panic_entry;
pub use types::{FunctionType, Limits, Type};
