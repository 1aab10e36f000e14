//! Anywarp runs any GPU program anywhere.
//!
//! This crate is the front door: it re-exports the libraries and holds the `anywarp` command.
//!
//! - [`program`]: WGSL or a naga module as one validated program, with reflection.
//! - [`adapter`]: a `wgpu::Instance` whose adapter is the CPU; no driver, no GPU.
//!
//! ```
//! use anywarp::program::Program;
//!
//! let program = Program::from_wgsl(
//!     "@compute @workgroup_size(64)
//!      fn double(@builtin(global_invocation_id) id: vec3u) { _ = id.x * 2u; }",
//! )?;
//! assert_eq!(program.module().entry_points[0].name, "double");
//! # Ok::<(), anywarp::program::ProgramError>(())
//! ```

#![forbid(unsafe_code)]

pub use anywarp_adapter as adapter;
pub use anywarp_program as program;
