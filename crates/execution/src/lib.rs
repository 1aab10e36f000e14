//! The execution interface: what the interpreter, vector IR, machine code and the device share.
//!
//! This crate is an internal part of `anywarp`: its interface changes in any release. Depend on `anywarp` instead.
//!
//! In: a [`Program`](anywarp_program::Program) and the name of an entry point. Out: its [`Interface`], with the
//! [`Resource`]s that it uses, or a [`KernelError`]. The crate also has the types with which an engine is called:
//! [`Arguments`], [`Limits`] with a [`CancelFlag`], [`TextureOp`]; and the [`ExecutionError`] that it returns.
//!
//! What always holds: all engines list resources in one order, that of [`Interface::resources`], and [`locate`] is the
//! only function that maps a resource to its position in [`Arguments`].
//!
//! What this crate does not do: run anything, own memory, or know engines.
//!
//! ```
//! use anywarp_execution::{Access, Interface, Stage};
//! use anywarp_program::Program;
//!
//! let program = Program::from_wgsl(
//!     "@group(0) @binding(3) var<storage> data: array<u32>;
//!      var<workgroup> last: u32;
//!      @compute @workgroup_size(8) fn main() { last = data[7]; }",
//! )?;
//! let interface = Interface::new(&program, "main")?;
//! assert_eq!(interface.stage, Stage::Compute { workgroup_size: [8, 1, 1] });
//! assert_eq!(interface.resources.len(), 1);
//! assert_eq!(interface.resources[0].access, Access::Read);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod arguments;
mod broadcast;
mod cancel;
mod error;
mod interface;
mod limits;
mod operation;
mod random;
mod resource;
mod schedule;
mod spurious;
mod subgroup_size;

pub use arguments::{Arguments, BufferView, TextureView};
pub use cancel::{CancelFlag, CancelReason, TimeLimit};
pub use error::{Budget, ExecutionError, KernelError, SourceLocation};
pub use interface::{Interface, Stage};
pub use limits::Limits;
pub use operation::{AtomicOp, TextureOp};
pub use random::{Random, Shuffle};
pub use resource::{
    Access, ArgumentIndex, Elements, Multisampling, Resource, ResourceClass, ResourceKind,
    TextureBinding, TextureMismatch, UnknownResource, locate,
};
pub use schedule::Schedule;
pub use spurious::SpuriousFailures;
pub use subgroup_size::SubgroupSize;
