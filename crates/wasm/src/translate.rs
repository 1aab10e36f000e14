//! One module to one program.

use crate::bytecode::Bytecode;
use crate::{Linker, TranslateError, Warning};

/// How modules are translated.
#[derive(Clone, Debug)]
pub struct Options {
    /// Lets functions call themselves, with a stack of frames; else that is an error.
    pub allow_recursion: bool,
    /// How deep calls are inlined into calls.
    pub inline_depth: u32,
    /// How many instructions a function may have after inlining.
    pub inline_size: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            allow_recursion: false,
            inline_depth: 32,
            inline_size: 20_000,
        }
    }
}

/// A translated program.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The program.
    pub bytecode: Bytecode,
    /// What its author should know: all of it. [`fold_warnings`](crate::fold_warnings) makes it short.
    pub warnings: Vec<Warning>,
}

/// Translates a module that needs nothing but the host's functions.
///
/// ```
/// let wasm = wat::parse_str(
///     r#"(module (func (export "main") (param i32) (result i32)
///         (i32.add (local.get 0) (i32.const 1))))"#,
/// )?;
/// let program = anywarp_wasm::translate(&wasm, &anywarp_wasm::Options::default())?;
/// assert_eq!(program.bytecode.exports[0].name, "main");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The module is invalid, uses something that is not supported, imports something unknown, or is
/// recursive without leave.
pub fn translate(bytes: &[u8], options: &Options) -> Result<Translation, TranslateError> {
    let mut linker = Linker::new(options.clone());
    linker.add(bytes)?;
    Ok(linker.finish())
}
