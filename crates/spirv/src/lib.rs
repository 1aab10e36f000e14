//! SPIR-V reader, writer, assembler and disassembler.
//!
//! - [`read()`] translates a module (feature `spv-in`): SPIR-V 1.0 to 1.6 for Vulkan's vertex, fragment and compute shaders
//!   becomes a validated [`Program`](anywarp_program::Program), with a map of the [`Bindings`] that changed.
//! - [`write_spirv`] translates a program (feature `spv-out`): naga's SPIR-V writer, with passes before and after it.
//! - [`assemble`] and [`disassemble`] convert between words and the text syntax of `spirv-as`. They need no feature.
//!
//! Both features are on by default. The crate `anywarp-wgsl-writer` writes a program as WGSL.
//!
//! ```
//! # #[cfg(all(feature = "spv-in", feature = "spv-out"))] {
//! use anywarp_spirv::{ReadOptions, SpirvOptions, assemble, disassemble, read_words, write_spirv};
//!
//! let words = assemble(
//!     r#"OpCapability Shader
//!        OpMemoryModel Logical GLSL450
//!        OpEntryPoint GLCompute %main "main"
//!        OpExecutionMode %main LocalSize 64 1 1
//! %void = OpTypeVoid
//!   %fn = OpTypeFunction %void
//! %main = OpFunction %void None %fn
//! %body = OpLabel
//!        OpReturn
//!        OpFunctionEnd"#,
//! )?;
//! let parsed = read_words(&words, &ReadOptions::default())?;
//! assert_eq!(parsed.program.entry_point(None)?.name, "main");
//! assert!(parsed.bindings.bindings.is_empty());
//!
//! let written = write_spirv(&parsed.program, &SpirvOptions::default())?;
//! assert!(disassemble(&written)?.contains("OpExecutionMode"));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Supported input
//!
//! | SPIR-V | translated to |
//! |---|---|
//! | `Input` and `Output` variables, `OpEntryPoint` interfaces | parameters and results of an entry point, around an inner function |
//! | structured control flow: any mixture of merges, breaks, continues and fallthrough | `if`, `loop`, `switch`; values used across blocks become variables |
//! | pointers and selections between pointers, including variable pointers | accesses of the variable they point to |
//! | combined images and samplers | a texture and a sampler, at bindings assigned as [`Bindings`] specifies |
//! | memory layouts that WGSL cannot express, 8-bit and 16-bit buffers, overlapping variables | arrays of words |
//! | specialization constants | overrides, or their defaults with `freeze_constants` in [`ReadOptions`] |
//! | atomics, including those on floats and on 8 and 16 bits | WGSL's atomics, or compare-exchange loops |
//! | GLSL.std.450, subgroup operations, integer dot products, image operations | builtin functions, or equivalent expressions |
//! | `OpKill`, `OpTerminateInvocation`, demotion | `discard`, and returns through the callers where a loop could wait for the invocation |
//! | kernels (OpenCL), geometry, tessellation, mesh and ray-tracing stages, physical pointers | an error that names the feature and the instruction |
//!
//! `docs/spirv.md` lists every case with its test.
#![forbid(unsafe_code)]

mod assembly;
#[cfg(feature = "spv-in")]
mod bindings;
mod error;
mod file;
#[cfg(feature = "spv-in")]
mod maps;
#[cfg(feature = "spv-in")]
mod module;
#[cfg(feature = "spv-in")]
mod parsed;
#[cfg(feature = "spv-in")]
mod read;
#[cfg(feature = "spv-in")]
mod validation_error;
#[cfg(feature = "spv-out")]
mod write;

pub use assembly::{AssemblyError, assemble, disassemble};
#[cfg(feature = "spv-in")]
pub use bindings::{BindingPoint, Bindings, BindingsError, MappedBinding};
pub use error::{ErrorKind, ReadError, SourceLine};
pub use file::words;
#[cfg(feature = "spv-in")]
pub use parsed::{Parsed, read, read_module, read_words};
#[cfg(feature = "spv-in")]
pub use read::ReadOptions;
#[cfg(feature = "spv-out")]
pub use write::{Discard, SpirvError, SpirvOptions, write_spirv};
