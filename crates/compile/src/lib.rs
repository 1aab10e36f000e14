//! The compiler driver: program → vector IR → passes → verifiers → machine code.
//!
//! This crate is an internal part of `anywarp`: its interface changes in any release. Depend on `anywarp` instead.
//!
//! In: a [`Program`](anywarp_program::Program), the [`Interface`](anywarp_execution::Interface) of an entry point, and
//! [`CompileOptions`]. Out: a [`CompiledKernel`], or a [`CompileFailure`] that says why the kernel must be interpreted.
//!
//! | stage | by | what it may refuse |
//! |---|---|---|
//! | lowering | `lanes` | operations without vector code |
//! | passes | `lanes::pass` | |
//! | verification | `lanes::verify` | bugs of passes |
//! | bounds proof | `lanes::bounds` | accesses that are not shown to be in bounds: bugs of passes |
//! | code generation and scan | `codegen` | stack frames that are too large; bugs of the code generator |
//! | limits | this crate | stack of nested calls, frame memory |
//!
//! What always holds: code has passed both verifiers before it is mapped as executable. All stages count their work on
//! one meter; over a limit, the entry point is compiled once more with calls instead of inlining. An [`Observer`] sees
//! the IR after the stages, and the code.
//!
//! What this crate does not do: run code, bind memory, or choose between engines. That is `anywarp-cpu`.
//!
//! ```
//! use anywarp_codegen::Target;
//! use anywarp_compile::{CompileOptions, compile};
//! use anywarp_execution::Interface;
//! use anywarp_program::Program;
//!
//! let program = Program::from_wgsl(
//!     "@group(0) @binding(0) var<storage, read_write> data: array<u32>;
//!      @compute @workgroup_size(64)
//!      fn main(@builtin(global_invocation_id) id: vec3<u32>) { data[id.x] += 1u; }",
//! )?;
//! let interface = Interface::new(&program, "main")?;
//! if let Some(target) = Target::detect() {
//!     let kernel = compile(&program, &interface, &CompileOptions::new(target), &mut ())?;
//!     assert_eq!(kernel.code.target(), target);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod driver;
mod error;
mod kernel;
mod observer;
mod options;
mod stack;

pub use driver::compile;
pub use error::CompileFailure;
pub use kernel::{CompileTimes, CompiledCallee, CompiledKernel, SubgroupCalls};
pub use observer::{IrStage, Observer};
pub use options::{COMPILE_LIMITS, CompileOptions, MAX_FRAME_BYTES};
