//! Generates the JavaScript bindings: from a compiled library to a JavaScript module and the WebAssembly that it
//! loads.

use std::path::{Path, PathBuf};

use wasm_bindgen_cli_support::Bindgen;

use crate::compile::Wasm;

/// The bindings cannot be generated.
#[derive(Debug, thiserror::Error)]
#[error("no bindings for {}: {message}", wasm.display())]
pub struct BindError {
    wasm: PathBuf,
    message: String,
}

/// Writes `NAME.js` and `NAME_bg.wasm` into a folder.
pub(crate) fn bind(wasm: &Wasm, folder: &Path) -> Result<(), BindError> {
    let mut bindgen = Bindgen::new();
    let bound = bindgen
        .input_path(&wasm.path)
        .out_name(&wasm.name)
        .typescript(false)
        // The script knows the address of its WebAssembly.
        .omit_default_module_path(false)
        // Without debug information it is a quarter of the size; a panic still names its file and line.
        .remove_name_section(true)
        .remove_producers_section(true)
        .web(true)
        .and_then(|bindgen| bindgen.generate(folder));
    bound.map_err(|error| BindError {
        wasm: wasm.path.clone(),
        // With the causes: the first sentence alone rarely tells what is wrong.
        message: format!("{error:#}"),
    })
}
