//! `anywarp build`: compiles a kernel crate to a WebAssembly module.

use std::fs;

use anywarp_build::build as build_module;

use crate::cli::BuildArgs;
use crate::console;
use crate::error::Error;
use crate::run::check_paths;

/// Runs the command.
pub(crate) fn build(args: &BuildArgs) -> Result<(), Error> {
    // Compiling takes a while, so an unwritable output is reported first.
    check_paths(args.out.iter().map(AsRef::as_ref))?;
    let module = build_module(&args.folder, args.stack)?;
    let module = match &args.out {
        Some(out) => {
            fs::copy(&module, out).map_err(|source| Error::Write {
                path: out.clone(),
                source,
            })?;
            out.clone()
        }
        None => module,
    };
    let bytes = fs::metadata(&module).map_or(0, |metadata| metadata.len());
    console::note(&format!("{bytes} bytes"));
    console::result(&module.display().to_string())
}
