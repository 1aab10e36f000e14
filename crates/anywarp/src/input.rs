//! A FILE argument becomes a [`Program`], by its extension.

use std::fs;
use std::path::Path;

use anywarp_program::{Program, Source};

use crate::contain::contain;
use crate::error::Error;

/// A program and the name its file has in messages.
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) program: Program,
}

/// Reads and checks a program.
pub(crate) fn load(path: &Path) -> Result<Input, Error> {
    let name = path.display().to_string();
    let program = match extension(path) {
        "wgsl" => wgsl(path, &name)?,
        "spv" => spirv(path, &name)?,
        "spvasm" => return Err(unsupported(path, "SPIR-V assembly cannot be read yet")),
        "" => return Err(unsupported(path, "the file has no extension")),
        other => {
            let reason = format!("`.{other}` is no program format");
            return Err(unsupported(path, &reason));
        }
    };
    Ok(Input { name, program })
}

/// The extension, or nothing; one that is not Unicode is none of ours anyway.
pub(crate) fn extension(path: &Path) -> &str {
    path.extension()
        .and_then(|text| text.to_str())
        .unwrap_or("")
}

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })
}

fn wgsl(path: &Path, name: &str) -> Result<Program, Error> {
    let text = String::from_utf8(read(path)?).map_err(|error| Error::NotUtf8 {
        path: path.to_owned(),
        offset: error.utf8_error().valid_up_to(),
    })?;
    Ok(Program::from_source(Source::new(name, text))?)
}

fn spirv(path: &Path, name: &str) -> Result<Program, Error> {
    let bytes = read(path)?;
    let wrong = |reason| Error::Spirv {
        file: name.to_owned(),
        reason,
    };
    let module =
        contain(|| naga::front::spv::parse_u8_slice(&bytes, &naga::front::spv::Options::default()))
            .map_err(wrong)?
            .map_err(|error| wrong(error.to_string()))?;
    Ok(Program::from_module(module)?)
}

fn unsupported(path: &Path, reason: &str) -> Error {
    // A file that is not there is the plainer fault, so it is reported first.
    if let Err(source) = fs::metadata(path) {
        return Error::Read {
            path: path.to_owned(),
            source,
        };
    }
    Error::UnsupportedInput {
        path: path.to_owned(),
        reason: format!("{reason}; give a .wgsl or .spv file"),
    }
}
