//! `anywarp translate` for a module: writes bytecode to a file, or its text form to a file or to standard output.

use std::fs;

use super::{Recursion, load};
use crate::cli::TranslateArgs;
use crate::console;
use crate::error::Error;
use crate::input;
use crate::translate::is_stdout;
use anywarp_wasm::bytecode::disassemble;

/// Runs the command.
pub(crate) fn translate(args: &TranslateArgs) -> Result<(), Error> {
    if let Some(option) = args.shader_option() {
        return Err(Error::Argument {
            option,
            reason: "only for shaders, not for kernels in WebAssembly".to_owned(),
        });
    }
    let recursion = if args.allow_recursion {
        Recursion::Allowed
    } else {
        Recursion::Refused
    };
    let is_stdout = is_stdout(&args.output);
    // Standard output gets the text form.
    let extension = if is_stdout {
        "awasm"
    } else {
        input::extension(&args.output)
    };
    if !matches!(extension, "awbc" | "awasm") {
        return Err(Error::UnsupportedOutput {
            path: args.output.clone(),
            reason: "kernels are written as bytecode; give a .awbc or .awasm file".to_owned(),
        });
    }
    let loaded = load(&args.input, recursion)?;
    for line in loaded.warning_lines(console::is_verbose()) {
        console::note(&line);
    }
    let bytes = match extension {
        "awbc" => loaded.bytecode.to_bytes(),
        _ => disassemble(&loaded.bytecode).into_bytes(),
    };
    if is_stdout {
        return console::contents(&bytes);
    }
    fs::write(&args.output, bytes).map_err(|source| Error::Write {
        path: args.output.clone(),
        source,
    })
}
