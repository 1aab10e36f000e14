//! Reads a program from standard input.
//!
//! In: the bytes of standard input, which are read once and cached. Out: the bytes, and the extension that matches
//! them: SPIR-V, WebAssembly and bytecode by their magic numbers, SPIR-V assembly by its instructions, GLSL by its
//! version directive; anything else is WGSL.

use std::io::{self, Read};
use std::path::Path;
use std::sync::OnceLock;

use anywarp_wasm::bytecode::MAGIC;

use super::{PROGRAM_LIMIT, begins_like_spirv};
use crate::error::Error;

/// The name of standard input in messages.
pub(super) const NAME: &str = "<stdin>";

static BYTES: OnceLock<Result<Vec<u8>, (io::ErrorKind, String)>> = OnceLock::new();

/// Whether a path means standard input; a file of that name is `./-`.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn bytes() -> &'static Result<Vec<u8>, (io::ErrorKind, String)> {
    BYTES.get_or_init(|| {
        let mut bytes = Vec::new();
        // One byte more than the limit shows that the input is too long.
        let read = io::stdin()
            .lock()
            .take(PROGRAM_LIMIT + 1)
            .read_to_end(&mut bytes);
        read.map(|_| bytes)
            .map_err(|error| (error.kind(), error.to_string()))
    })
}

/// The bytes, if there are at most `limit`.
pub(super) fn read(limit: u64) -> Result<Vec<u8>, Error> {
    match bytes() {
        Ok(bytes) if bytes.len() as u64 > limit.min(PROGRAM_LIMIT) => Err(Error::FileTooLarge {
            path: NAME.into(),
            limit: limit.min(PROGRAM_LIMIT),
        }),
        Ok(bytes) => Ok(bytes.clone()),
        Err((kind, reason)) => Err(Error::Read {
            path: NAME.into(),
            source: io::Error::new(*kind, reason.clone()),
        }),
    }
}

/// The extension for the contents of standard input.
pub(super) fn format() -> &'static str {
    bytes().as_deref().map_or("wgsl", format_of)
}

fn format_of(bytes: &[u8]) -> &'static str {
    if begins_like_spirv(bytes) {
        return "spv";
    }
    if bytes.starts_with(b"\0asm") {
        return "wasm";
    }
    if bytes.starts_with(&MAGIC) {
        return "awbc";
    }
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines().map(str::trim);
    if lines.clone().any(|line| line.starts_with("#version")) {
        "glsl"
    } else if lines.any(is_instruction) {
        "spvasm"
    } else {
        "wgsl"
    }
}

/// Whether a line is an instruction that every SPIR-V module contains.
fn is_instruction(line: &str) -> bool {
    line.starts_with("OpCapability ") || line.starts_with("OpMemoryModel ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_say_the_format() {
        for (bytes, format) in [
            (&b"\x03\x02\x23\x07\0\0\0\0"[..], "spv"),
            (b"\x07\x23\x02\x03", "spv"),
            (b"\0asm\x01\0\0\0", "wasm"),
            (&MAGIC, "awbc"),
            (
                b"; SPIR-V\n; Version: 1.3\n  OpCapability Shader\n",
                "spvasm",
            ),
            (b"// a shader\n#version 450\nvoid main() {}", "glsl"),
            (b"// OpCapability is SPIR-V\nfn f() {}", "wgsl"),
            (b"", "wgsl"),
            (b"\xff\xfe", "wgsl"),
        ] {
            assert_eq!(format_of(bytes), format);
        }
    }
}
