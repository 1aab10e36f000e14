//! `anywarp translate` of a module: to bytecode, as a file or as text.

use std::fs;

use super::{Recursion, load};
use crate::cli::TranslateArgs;
use crate::console;
use crate::error::Error;
use crate::input;
use anywarp_wasm::bytecode::disassemble;

/// Runs the command.
pub(crate) fn translate(args: &TranslateArgs) -> Result<(), Error> {
    let recursion = match args.allow_recursion {
        true => Recursion::Allowed,
        false => Recursion::Refused,
    };
    let extension = input::extension(&args.output);
    if !matches!(extension, "awbc" | "awasm") {
        return Err(Error::UnsupportedOutput {
            path: args.output.clone(),
            reason: "kernels are written as bytecode; give a .awbc or .awasm file".to_owned(),
        });
    }
    let loaded = load(&args.input, recursion)?;
    for line in loaded.warning_lines(args.verbose) {
        console::message(&line);
    }
    let bytes = match extension {
        "awbc" => loaded.bytecode.to_bytes(),
        _ => disassemble(&loaded.bytecode).into_bytes(),
    };
    fs::write(&args.output, bytes).map_err(|source| Error::Write {
        path: args.output.clone(),
        source,
    })
}
