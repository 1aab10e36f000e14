//! Options and result of a translation, and the translation of a single module.

use crate::bytecode::Bytecode;
use crate::{TranslateError, Translator, Warning};

/// Options of the translation.
#[derive(Clone, Debug)]
#[non_exhaustive]
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

impl TranslateOptions {
    /// Sets whether functions may be recursive.
    #[must_use]
    pub fn allow_recursion(self, allow_recursion: bool) -> Self {
        Self {
            allow_recursion,
            ..self
        }
    }

    /// Sets the maximum nesting of inlined calls.
    #[must_use]
    pub fn inline_depth(self, inline_depth: u32) -> Self {
        Self {
            inline_depth,
            ..self
        }
    }

    /// Sets the maximum number of instructions of a function after inlining.
    #[must_use]
    pub fn inline_size(self, inline_size: u32) -> Self {
        Self {
            inline_size,
            ..self
        }
    }
}

/// A translated program.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The bytecode.
    pub bytecode: Bytecode,
    /// The index in the bytecode of each function, by index among those of all modules.
    pub function_indices: Vec<Option<u32>>,
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
    let mut translator = Translator::new(options.clone());
    translator.add(bytes)?;
    Ok(translator.finish())
}
