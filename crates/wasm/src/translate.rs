//! Translates a single module to a program.

use crate::bytecode::Bytecode;
use crate::{Linker, TranslateError, Warning};

/// Options of the translation.
#[derive(Clone, Debug)]
pub struct TranslateOptions {
    /// Allows recursive functions, which need a call stack; otherwise recursion is an error.
    pub allow_recursion: bool,
    /// Maximum nesting of inlined calls.
    pub inline_depth: u32,
    /// Maximum number of instructions of a function after inlining.
    pub inline_size: u32,
}

impl Default for TranslateOptions {
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
    /// The bytecode.
    pub bytecode: Bytecode,
    /// All warnings. [`fold_warnings`](crate::fold_warnings) summarizes them.
    pub warnings: Vec<Warning>,
}

/// Translates a module that imports only host functions.
///
/// ```
/// let wasm = wat::parse_str(
///     r#"(module (func (export "main") (param i32) (result i32)
///         (i32.add (local.get 0) (i32.const 1))))"#,
/// )?;
/// let program = anywarp_wasm::translate(&wasm, &anywarp_wasm::TranslateOptions::default())?;
/// assert_eq!(program.bytecode.exports[0].name, "main");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// The module is invalid, uses an unsupported feature, has an unknown import, or is recursive
/// although recursion is disabled.
pub fn translate(bytes: &[u8], options: &TranslateOptions) -> Result<Translation, TranslateError> {
    let mut linker = Linker::new(options.clone());
    linker.add(bytes)?;
    Ok(linker.finish())
}
