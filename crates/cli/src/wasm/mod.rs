//! Kernels in WebAssembly and in bytecode: `run`, `inspect` and `translate` for `.wasm`, `.awbc` and `.awasm` files,
//! and `build` for crates.

mod build;
mod grid;
mod inspect;
mod interface;
mod launch;
mod machine;
mod report;
mod run;
mod translate;

use std::path::Path;

use anywarp_wasm::bytecode::{Bytecode, assemble};
use anywarp_wasm::{
    TranslateError, TranslateOptions, Warning, fold_warnings, translate as translate_module,
};

pub(crate) use build::build;
pub(crate) use inspect::inspect;
pub(crate) use report::one_line;
pub(crate) use run::run;
pub(crate) use translate::translate;

use crate::error::Error;
use crate::input;

/// The largest module that is read.
const LIMIT: u64 = 64 << 20;

/// A program with its name in messages.
struct Loaded {
    name: String,
    bytecode: Bytecode,
    warnings: Vec<Warning>,
    /// The file's bytes.
    bytes: Vec<u8>,
    /// The options of the translation.
    options: TranslateOptions,
}

/// Whether a file has an extension of this module.
pub(crate) fn is_kernel(path: &Path) -> bool {
    matches!(input::format(path), "wasm" | "awbc" | "awasm")
}

/// Whether functions may be recursive.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Recursion {
    Allowed,
    Refused,
}

/// A file that was read.
enum Opened {
    Program(Box<Loaded>),
    Unlinked(Unlinked),
}

/// A valid module with imports that Anywarp does not provide.
struct Unlinked {
    name: String,
    bytes: Vec<u8>,
    reason: TranslateError,
}

impl From<Unlinked> for Error {
    fn from(module: Unlinked) -> Self {
        Self::Module {
            file: module.name,
            reason: module.reason.to_string(),
        }
    }
}

/// Reads a program in order to run it.
fn load(path: &Path, recursion: Recursion) -> Result<Loaded, Error> {
    match open(path, recursion)? {
        Opened::Program(program) => Ok(*program),
        Opened::Unlinked(module) => Err(module.into()),
    }
}

/// Reads a program; a module is translated to bytecode.
fn open(path: &Path, recursion: Recursion) -> Result<Opened, Error> {
    let name = input::name(path);
    let wrong = |reason: String| Error::Module {
        file: name.clone(),
        reason,
    };
    let bytes = input::program_bytes(path, LIMIT)?;
    let mut warnings = Vec::new();
    let options = TranslateOptions::default().allow_recursion(recursion == Recursion::Allowed);
    let bytecode = match input::format(path) {
        "awbc" => Bytecode::from_bytes(&bytes).map_err(|error| wrong(error.to_string()))?,
        "awasm" => {
            let text = std::str::from_utf8(&bytes).map_err(|error| Error::NotUtf8 {
                path: path.to_owned(),
                offset: error.valid_up_to(),
            })?;
            assemble(text).map_err(|error| wrong(error.to_string()))?
        }
        _ => {
            let translation = match translate_module(&bytes, &options) {
                Ok(translation) => translation,
                Err(reason) if is_import(&reason) => {
                    return Ok(Opened::Unlinked(Unlinked {
                        name,
                        bytes,
                        reason,
                    }));
                }
                Err(error) => return Err(wrong(error.to_string())),
            };
            warnings = translation.warnings;
            translation.bytecode
        }
    };
    Ok(Opened::Program(Box::new(Loaded {
        name,
        bytecode,
        warnings,
        bytes,
        options,
    })))
}

/// Whether a module is refused only because of an import.
fn is_import(error: &TranslateError) -> bool {
    matches!(
        error,
        TranslateError::UnknownImport { .. } | TranslateError::IncompatibleImport { .. }
    )
}

impl Loaded {
    /// The warnings for the module's author: one line for each kind, or every warning.
    fn warning_lines(&self, all: bool) -> Vec<String> {
        let report = if all {
            self.warnings.iter().map(ToString::to_string).collect()
        } else {
            fold_warnings(&self.warnings)
        };
        let hint = if report.len() < self.warnings.len() {
            " (--verbose shows each)"
        } else {
            ""
        };
        let name = &self.name;
        report
            .iter()
            .map(|text| format!("warning: {name}: {text}{hint}"))
            .collect()
    }
}
