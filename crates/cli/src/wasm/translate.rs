//! `anywarp translate` for a module: writes bytecode or its text form, or compiles one kernel and writes it in a shader
//! language.

use std::fs;

use super::{Recursion, launch, load};
use crate::cli::TranslateArgs;
use crate::console;
use crate::error::Error;
use crate::input;
use crate::translate::{is_stdout, write_program};
use anywarp_program::Program;
use anywarp_wasm::bytecode::disassemble;
use anywarp_wasm::compile::{CompileOptions, compile as compile_kernel};

/// Runs the command.
pub(crate) fn translate(args: &TranslateArgs) -> Result<(), Error> {
    let names_bytecode = matches!(input::extension(&args.output), "awbc" | "awasm");
    // Text on standard output is that of the bytecode, unless `--to` gives a language.
    if !names_bytecode && (args.to.is_some() || !is_stdout(&args.output)) {
        return compile(args);
    }
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

/// Compiles one kernel and writes it in a shader language.
fn compile(args: &TranslateArgs) -> Result<(), Error> {
    let loaded = load(&args.input, Recursion::Allowed)?;
    let wrong = |reason: String| Error::Module {
        file: loaded.name.clone(),
        reason,
    };
    let export = launch::kernel(&loaded.bytecode, &loaded.name, args.entry.as_deref())?;
    let size = args.workgroup_size.map_or([64, 1, 1], |size| size.0);
    let options = CompileOptions::default();
    let kernel = compile_kernel(&loaded.bytes, &export.name, size, &options);
    let kernel = kernel.map_err(|error| wrong(error.to_string()))?;
    let program = Program::from_module(kernel.module).map_err(|error| wrong(error.to_string()))?;
    write_program(args, &loaded.name, &program)
}
