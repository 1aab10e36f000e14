//! Kernels in WebAssembly and in bytecode: `run`, `inspect` and `translate` for `.wasm`, `.awbc` and
//! `.awasm` files, and `build` for crates.

mod build;
mod inspect;
mod launch;
mod machine;
mod report;
mod run;
mod translate;

use std::path::Path;

use anywarp_wasm::bytecode::{Bytecode, assemble};
use anywarp_wasm::{Options, Warning, fold_warnings, translate as translate_module};

pub(crate) use build::build;
pub(crate) use inspect::inspect;
pub(crate) use report::one_line;
pub(crate) use run::run;
pub(crate) use translate::translate;

use crate::error::Error;
use crate::input;

/// The largest module that is read.
const LIMIT: u64 = 64 << 20;

/// A program and the name its file has in messages.
struct Loaded {
    name: String,
    bytecode: Bytecode,
    warnings: Vec<Warning>,
    /// The file's bytes.
    bytes: Vec<u8>,
}

/// Whether a file is for this module.
pub(crate) fn is_kernel(path: &Path) -> bool {
    matches!(input::format(path), "wasm" | "awbc" | "awasm")
}

/// Whether functions may call themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Recursion {
    Allowed,
    Refused,
}

/// Reads a program, translating a module.
fn load(path: &Path, recursion: Recursion) -> Result<Loaded, Error> {
    let name = input::name(path);
    let wrong = |reason: String| Error::Module {
        file: name.clone(),
        reason,
    };
    let bytes = input::program_bytes(path, LIMIT)?;
    let mut warnings = Vec::new();
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
            let options = Options {
                allow_recursion: recursion == Recursion::Allowed,
                ..Options::default()
            };
            let translation =
                translate_module(&bytes, &options).map_err(|error| wrong(error.to_string()))?;
            warnings = translation.warnings;
            translation.bytecode
        }
    };
    Ok(Loaded {
        name,
        bytecode,
        warnings,
        bytes,
    })
}

impl Loaded {
    /// What the module's author should know: in few lines, or each for itself.
    fn warning_lines(&self, verbose: bool) -> Vec<String> {
        let told = match verbose {
            true => self.warnings.iter().map(ToString::to_string).collect(),
            false => fold_warnings(&self.warnings),
        };
        let hint = match told.len() < self.warnings.len() {
            true => " (--verbose shows each)",
            false => "",
        };
        let name = &self.name;
        let lines = told.iter();
        lines
            .map(|text| format!("warning: {name}: {text}{hint}"))
            .collect()
    }
}
