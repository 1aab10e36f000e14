//! Loads a FILE argument as a [`Program`]: a file by its extension, standard input (`-`) by its contents.

mod glsl;
mod stdin;

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use anywarp_program::{Program, ProgramError, Source};
use anywarp_spirv::{Bindings, ReadOptions};

use crate::error::Error;
use anywarp::panics::catch_panic;

pub(crate) use glsl::is_glsl;
pub(crate) use stdin::is_stdin;

/// The largest program that is read; typical ones have a few hundred kilobytes.
const PROGRAM_LIMIT: u64 = 64 << 20;

/// The most bytes that are read from a pipe or device.
const STREAM_LIMIT: u64 = 256 << 20;

/// A loaded program with its name in messages.
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) program: Program,
    /// The bindings of a SPIR-V module that do not map one to one to bindings of the program.
    pub(crate) bindings: Bindings,
}

/// Reads and validates a program.
pub(crate) fn load(path: &Path) -> Result<Input, Error> {
    load_with(path, &ReadOptions::default())
}

/// Reads and validates a program; `options` apply to SPIR-V.
pub(crate) fn load_with(path: &Path, options: &ReadOptions) -> Result<Input, Error> {
    let name = name(path);
    let (program, bindings) = match format(path) {
        "wgsl" => (wgsl(path, &name)?, Bindings::default()),
        "spv" | "spvasm" => spirv(path, options)?,
        "comp" | "frag" | "glsl" | "vert" => (glsl::load(path, &name)?, Bindings::default()),
        "" if path.is_dir() => return Err(unsupported(path, "it is a folder")),
        "" => return Err(unsupported(path, "the file has no extension")),
        other => {
            let reason = format!("`.{other}` is not a program format");
            return Err(unsupported(path, &reason));
        }
    };
    Ok(Input {
        name,
        program,
        bindings,
    })
}

/// The name of a program in messages.
pub(crate) fn name(path: &Path) -> String {
    if is_stdin(path) {
        stdin::NAME.to_owned()
    } else {
        path.display().to_string()
    }
}

/// The extension of a program; for standard input the one that matches the contents.
pub(crate) fn format(path: &Path) -> &str {
    if is_stdin(path) {
        stdin::format()
    } else {
        extension(path)
    }
}

/// The bytes of a program in a file or on standard input.
pub(crate) fn program_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    if is_stdin(path) {
        stdin::read(limit)
    } else {
        read(path, limit)
    }
}

/// The text of a program.
fn program_text(path: &Path) -> Result<String, Error> {
    String::from_utf8(program_bytes(path, PROGRAM_LIMIT)?).map_err(|error| Error::NotUtf8 {
        path: name(path).into(),
        offset: error.utf8_error().valid_up_to(),
    })
}

/// The extension, or an empty string if there is none or it is not Unicode.
pub(crate) fn extension(path: &Path) -> &str {
    path.extension()
        .and_then(|text| text.to_str())
        .unwrap_or("")
}

/// Reads a file of at most `limit` bytes.
///
/// The size of a regular file is checked before it is read. Pipes and devices have no size and may be endless, so a
/// limit applies while they are read.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    let failed = |source| Error::Read {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    let limit = if metadata.is_file() {
        limit
    } else {
        limit.min(STREAM_LIMIT)
    };
    let mut bytes = Vec::new();
    if metadata.len() <= limit {
        let mut start = file.take(limit + 1);
        start.read_to_end(&mut bytes).map_err(failed)?;
    }
    if metadata.len().max(bytes.len() as u64) > limit {
        return Err(Error::FileTooLarge {
            path: path.to_owned(),
            limit,
        });
    }
    Ok(bytes)
}

fn wgsl(path: &Path, name: &str) -> Result<Program, Error> {
    let text = program_text(path)?;
    // `program` turns a panic of naga into an error; `catch_panic` keeps its message off the terminal.
    let source = Source::new(name, text);
    catch_panic(|| Program::from_source(source))
        .map_err(ProgramError::Internal)?
        .map_err(Error::from)
}

fn spirv(path: &Path, options: &ReadOptions) -> Result<(Program, Bindings), Error> {
    let words = words(path)?;
    let wrong = |reason| Error::Spirv {
        file: name(path),
        reason,
    };
    let parsed = catch_panic(|| anywarp_spirv::read_words(&words, options))
        .map_err(wrong)?
        .map_err(|error| wrong(error.to_string()))?;
    Ok((parsed.program, parsed.bindings))
}

/// The words of a SPIR-V file. Binary files in either byte order are recognised by their magic number, whatever the
/// extension; text by its extension.
pub(crate) fn words(path: &Path) -> Result<Vec<u32>, Error> {
    let bytes = program_bytes(path, PROGRAM_LIMIT)?;
    let wrong = |reason: String| Error::Spirv {
        file: name(path),
        reason,
    };
    if format(path) == "spvasm" && !begins_like_spirv(&bytes) {
        let text = program_text(path)?;
        return anywarp_spirv::assemble(&text).map_err(|error| wrong(error.to_string()));
    }
    if !begins_like_spirv(&bytes) && is_assembly(&bytes) {
        return Err(wrong("it holds SPIR-V as text: call it .spvasm".to_owned()));
    }
    anywarp_spirv::words(&bytes).map_err(|error| wrong(error.to_string()))
}

fn begins_like_spirv(bytes: &[u8]) -> bool {
    let magic = 0x0723_0203_u32;
    bytes.starts_with(&magic.to_le_bytes()) || bytes.starts_with(&magic.to_be_bytes())
}

/// Whether bytes are text that contains an instruction.
fn is_assembly(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes)
        .is_ok_and(|text| text.contains("OpMemoryModel") || text.contains("OpCapability"))
}

fn unsupported(path: &Path, reason: &str) -> Error {
    // A missing file is the more basic error, so it is reported first.
    if let Err(source) = fs::metadata(path) {
        return Error::Read {
            path: path.to_owned(),
            source,
        };
    }
    let hint = match start(path) {
        Some(start) if start == *b"\0asm" => "it holds a WebAssembly module: call it .wasm",
        Some(start) if begins_like_spirv(&start) => "it holds a SPIR-V module: call it .spv",
        _ => {
            "give a .wgsl, .spv, .spvasm, .comp, .vert or .frag file, or a kernel: .wasm, .awbc or .awasm"
        }
    };
    Error::UnsupportedInput {
        path: path.to_owned(),
        reason: format!("{reason}; {hint}"),
    }
}

/// The first four bytes of a regular file. Other files may block or be endless.
fn start(path: &Path) -> Option<[u8; 4]> {
    let is_regular = fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let mut start = [0; 4];
    let mut begins = || File::open(path).and_then(|mut file| file.read_exact(&mut start));
    (is_regular && begins().is_ok()).then_some(start)
}
