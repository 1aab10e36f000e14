//! WGSL writer.
//!
//! In: a validated module from any front end, and a dialect. Out: text with the same semantics that front ends of that
//! dialect accept: the same bytes in every buffer, the same values in the same order.
//!
//! What always holds: the output is deterministic; text that was written here, parsed by naga and written again does
//! not change; text and memory are bounded by the limits of the options. It does not optimize programs or keep
//! comments.
//!
//! ```
//! use anywarp_program::Program;
//! use anywarp_wgsl_writer::{WgslOptions, write_wgsl};
//!
//! let program = Program::from_wgsl(
//!     "@group(0) @binding(0) var<storage, read_write> numbers: array<f32>;
//!      @compute @workgroup_size(64, 1, 1) fn double(@builtin(global_invocation_id) id: vec3u) {
//!          let i = id.x; numbers[i] = (numbers[i]) * 2f;
//!      }",
//! )?;
//! assert_eq!(
//!     write_wgsl(&program, &WgslOptions::default())?,
//!     "@group(0) @binding(0) var<storage, read_write> numbers: array<f32>;
//!
//! @compute @workgroup_size(64)
//! fn double(@builtin(global_invocation_id) id: vec3<u32>) {
//!     let i = id.x;
//!     numbers[i] *= 2.0;
//! }
//! "
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod attribute;
mod body;
mod builtin;
mod common_subexpressions;
mod context;
mod declaration;
mod directive;
mod effect;
mod error;
mod extension;
mod function;
mod layout;
mod literal;
mod name;
mod polyfill;
mod precedence;
mod printer;
mod reference;
mod short_circuit;
mod spelling;
mod uniformity;

use std::num::NonZeroUsize;

use anywarp_program::Program;
use anywarp_program::work::WorkLimits;

use anywarp_program::threads;
use context::{Context, Names};
use declaration::Declarations;
pub use error::WriteError;
use name::Predeclared;

/// The dialect of WGSL to write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dialect {
    /// WebGPU's, for browsers: extensions are enabled by name; constructs that only naga supports are errors.
    #[default]
    WebGpu,
    /// naga's, for wgpu outside browsers.
    Naga,
}

impl Dialect {
    fn adjective(self) -> &'static str {
        match self {
            Self::WebGpu => "WebGPU's",
            Self::Naga => "naga's",
        }
    }
}

/// Options of the WGSL writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WgslOptions {
    /// The dialect to write.
    pub dialect: Dialect,
    /// Maximal number of threads for a large program; by default the number of cores. It does not affect the output.
    pub threads: Option<NonZeroUsize>,
    /// Limits on text and work; a step is an expression.
    pub limits: WorkLimits,
}

impl Default for WgslOptions {
    fn default() -> Self {
        Self::new(Dialect::default())
    }
}

impl WgslOptions {
    /// Default options for a dialect.
    pub fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            threads: None,
            limits: WorkLimits::TRANSLATION,
        }
    }
}

/// Writes a program as WGSL.
pub fn write_wgsl(program: &Program, options: &WgslOptions) -> Result<String, WriteError> {
    // A user-defined name such as `max` can stay if the text never uses the builtin function.
    let hidden = Names::hidden_by(program.module());
    if hidden.is_empty() {
        return write(program, options, Predeclared::All);
    }
    if hidden.iter().all(|name| name::is_mathematical(name)) {
        let used = builtin::mathematics(program.module());
        let used = hidden.into_iter().filter(|name| used.contains(&**name));
        return write(program, options, Predeclared::Used(used.collect()));
    }
    // The other uses of predeclared names are known only from the written text.
    let text = write(program, options, Predeclared::All)?;
    let used = name::used_in(&text, &hidden);
    if used.len() < hidden.len() {
        write(program, options, Predeclared::Used(used))
    } else {
        Ok(text)
    }
}

fn write(
    program: &Program,
    options: &WgslOptions,
    predeclared: Predeclared,
) -> Result<String, WriteError> {
    let cx = Context::new(program.module(), program.info(), options, predeclared)?;
    let expressions = threads::expressions(program.module());
    let mut declarations = Declarations {
        cx: &cx,
        out: String::with_capacity(likely_length(expressions)),
    };
    let threads = threads::count(
        expressions,
        function::EXPRESSIONS_PER_THREAD,
        options.threads,
    );
    declarations.write()?;
    let (text, uniformity) = function::write(&cx, declarations.out, threads)?;
    Ok(directive::before(&cx, &uniformity, text))
}

/// An estimate of the text length, to avoid reallocation.
fn likely_length(expressions: usize) -> usize {
    1024 + (function::LIKELY_BYTES * expressions).min(function::MAX_LIKELY_BYTES)
}
