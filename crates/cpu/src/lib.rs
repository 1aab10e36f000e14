//! A CPU compute device without an API: memory, bindings, and kernels run over grids of workgroups.
//!
//! This crate is an internal part of `anywarp`: its interface changes in any release. Depend on `anywarp` instead.
//!
//! In: a [`Program`](anywarp_program::Program), [`Buffer`]s and [`Texture`]s. Out: memory as the kernel has written it,
//! or a [`DispatchError`]. What always holds:
//! - Results do not depend on the number of threads unless the program has data races.
//! - A fault, a panic or an endless loop ends the dispatch with an error, never the process.
//! - A buffer starts as zeros without touching its pages, however large it is.
//!
//! The module `kernel` chooses the execution engine: machine code (`machine_code`, `host_calls`) or the interpreter. An
//! [`Executor`] runs a [`Kernel`] on a thread pool, under a watchdog. What this crate does not do: know wgpu, order
//! commands, or decide when the host may access a buffer. That is `anywarp-adapter`.
//!
//! ```
//! use anywarp_cpu::{Access, BindGroup, BoundBuffer, Buffer, OffsetKind};
//!
//! let buffer = Buffer::new(1 << 20)?;
//! assert_eq!(buffer.words(0..16, Access::Read).len(), 4);
//! let group = BindGroup::new(vec![BoundBuffer {
//!     binding: 0,
//!     buffer,
//!     offset: 256,
//!     size: 1024,
//!     offset_kind: OffsetKind::Fixed,
//! }]);
//! assert_eq!(group.buffers().len(), 1);
//! # Ok::<(), anywarp_cpu::OutOfMemory>(())
//! ```

mod bindings;
mod buffer;
mod buffer_table;
mod dispatch_tracker;
mod error;
mod executor;
mod grid;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod guarded;
mod host_calls;
mod host_memory;
mod interpreter_memory;
mod kernel;
mod machine_code;
mod memory;
mod memory_pool;
mod parallel;
mod parallel_copy;
mod range;
mod texture;
mod thread_clock;
mod watchdog;

pub use anywarp_codegen::{Code, Target};
pub use anywarp_compile::{CompileFailure, CompileTimes, IrStage, Observer};
pub use anywarp_execution::{
    Access, Arguments, BufferView, Elements, ExecutionError, KernelError, Random, Resource,
    ResourceKind, Schedule, Shuffle, SpuriousFailures, SubgroupSize, TextureView, TimeLimit,
};
pub use anywarp_lanes::CallPolicy;
pub use anywarp_lanes::ir::Function as IrFunction;
pub use anywarp_lanes::pass::names as pass_names;
pub use anywarp_program::work::WorkLimits;
pub use bindings::{
    BindGroup, BoundBuffer, BoundGroup, BoundTexture, OffsetKind, ResolvedBindings,
    resolve_bindings,
};
pub use buffer::{Buffer, OutOfMemory};
pub use dispatch_tracker::Progress;
pub use error::{
    BindingError, DispatchError, FrameLimitError, HostDispatchError, LinkError, WhyInterpreted,
};
pub use executor::{Executor, ExecutorOptions, Monitor};
pub use grid::workgroups;
pub use host_memory::{HostBinding, HostMemory};
pub use kernel::{COMPILE_LIMITS, Engine, Floats, Kernel, KernelOptions, MAX_FRAME_BYTES, Runner};
pub use memory_pool::MemoryPool;
pub use texture::{BufferRows, TexelBox, Texture, ViewedTexture};
