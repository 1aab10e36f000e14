//! WGSL text from a program.
//!
//! In: a validated module, from whatever front end, and a dialect. Out: text that a front end of
//! that dialect takes and that means the same: the same bytes in every buffer, the same values in
//! the same order. The same module always gives the same text, and what was written here and read
//! by naga is written the same again. The text has no more bytes than the limits of the options allow, and memory in
//! proportion to that. What it does not do: change a program to make it faster, or
//! keep comments.

mod attribute;
mod body;
mod builtin;
mod context;
mod declaration;
mod directive;
mod effect;
mod extension;
mod function;
mod layout;
mod level;
mod literal;
mod name;
mod polyfill;
mod printer;
mod reference;
mod shared;
mod short_circuit;
mod spelling;
mod uniformity;

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;

use anywarp_program::Program;
use anywarp_program::work::WorkLimits;

use super::WriteError;
use super::threads;
use context::{Context, Names};
use declaration::Declarations;
use name::Predeclared;

/// Whose WGSL is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// What browsers take: extensions are enabled by name, and what only naga knows is an error.
    #[default]
    WebGpu,
    /// What naga takes, and so wgpu where it is no browser.
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

/// How WGSL is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WgslOptions {
    /// Whose WGSL.
    pub dialect: Dialect,
    /// How many threads write a large program at most; as many as the machine has cores if nobody says.
    /// The text is the same.
    pub threads: Option<NonZeroUsize>,
    /// How much text and work a program may take; a step is an expression.
    pub limits: WorkLimits,
}

impl Default for WgslOptions {
    fn default() -> Self {
        Self::new(Dialect::default())
    }
}

impl WgslOptions {
    /// Options for a dialect.
    pub fn new(dialect: Dialect) -> Self {
        Self {
            dialect,
            threads: None,
            limits: WorkLimits::TRANSLATION,
        }
    }
}

/// Writes a program as WGSL.
///
/// ```
/// use anywarp_program::Program;
/// use anywarp_spirv::{WgslOptions, write_wgsl};
///
/// let program = Program::from_wgsl(
///     "@group(0) @binding(0) var<storage, read_write> numbers: array<f32>;
///      @compute @workgroup_size(64, 1, 1) fn double(@builtin(global_invocation_id) id: vec3u) {
///          let i = id.x; numbers[i] = (numbers[i]) * 2f;
///      }",
/// )?;
/// assert_eq!(
///     write_wgsl(&program, &WgslOptions::default())?,
///     "@group(0) @binding(0) var<storage, read_write> numbers: array<f32>;
///
/// @compute @workgroup_size(64)
/// fn double(@builtin(global_invocation_id) id: vec3<u32>) {
///     let i = id.x;
///     numbers[i] *= 2.0;
/// }
/// "
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_wgsl(program: &Program, options: &WgslOptions) -> Result<String, WriteError> {
    // A name such as `max` may stay if the text never means the function by it.
    let hidden = Names::hidden_by(program.module());
    if hidden.is_empty() {
        return write(program, options, Predeclared::All);
    }
    if hidden.iter().all(|name| name::is_mathematical(name)) {
        let used = builtin::mathematics(program.module());
        let used = hidden.into_iter().filter(|name| used.contains(&**name));
        return write(program, options, Predeclared::Used(used.collect()));
    }
    // What else the text means by a name is only known when it is there.
    let text = write(program, options, Predeclared::All)?;
    let used = name::used_in(&text, &hidden);
    match used.len() < hidden.len() {
        true => write(program, options, Predeclared::Used(used)),
        false => Ok(text),
    }
}

fn write(
    program: &Program,
    options: &WgslOptions,
    predeclared: Predeclared,
) -> Result<String, WriteError> {
    match write_once(program, options, predeclared.clone(), false) {
        Err((_, true)) => {
            write_once(program, options, predeclared, true).map_err(|(error, _)| error)
        }
        written => written.map_err(|(error, _)| error),
    }
}

/// Writes a program; an error comes with whether there would be none if functions that WGSL lacks had been
/// looked for.
fn write_once(
    program: &Program,
    options: &WgslOptions,
    predeclared: Predeclared,
    looks_for_polyfills: bool,
) -> Result<String, (WriteError, bool)> {
    let cx = Context::new(
        program.module(),
        program.info(),
        options,
        predeclared,
        looks_for_polyfills,
    )
    .map_err(|error| (error, false))?;
    let expressions = threads::expressions(program.module());
    let mut declarations = Declarations {
        cx: &cx,
        out: String::with_capacity(likely_length(expressions)),
    };
    let threads = threads::worth(expressions, function::WORTH, options.threads);
    let written = declarations
        .write()
        .and_then(|()| function::write(&cx, declarations.out, threads));
    match written {
        Ok((text, uniformity)) => Ok(directive::before(&cx, &uniformity, text)),
        Err(error) => Err((error, cx.lacks_polyfill.load(Ordering::Relaxed))),
    }
}

/// About the length of the text, so that it is not moved while it grows.
fn likely_length(expressions: usize) -> usize {
    1024 + (function::LIKELY_BYTES * expressions).min(function::LIKELY_AT_MOST)
}
