//! Reads a program from a file, in the language of its extension.

use std::fs;
use std::path::Path;

use super::{Shader, ShaderError};

/// The largest program that is read; typical ones have a few hundred kilobytes.
const MAX_BYTES: u64 = 64 << 20;

pub(super) fn read(path: &Path) -> Result<Shader, ShaderError> {
    let name = path.display().to_string();
    let extension = path.extension().and_then(|text| text.to_str());
    match extension {
        Some("wgsl") => Shader::wgsl_named(&name, &text(path)?),
        Some("comp" | "glsl") => Shader::glsl_named(&name, &text(path)?),
        #[cfg(feature = "spirv")]
        Some("spv") => spirv(&name, &bytes(path)?),
        #[cfg(feature = "spirv")]
        Some("spvasm") => {
            let assembly = text(path)?;
            let words = anywarp_spirv::assemble(&assembly).map_err(|error| wrong(&name, error))?;
            from_words(&name, &words)
        }
        _ => {
            // A missing file is the more basic error.
            bytes(path)?;
            let reason = match extension {
                Some(extension) => format!("`.{extension}` is not the extension of a program"),
                None => "the file has no extension".to_owned(),
            };
            let path = path.to_owned();
            Err(ShaderError::UnknownLanguage { path, reason })
        }
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, ShaderError> {
    let failed = |source| ShaderError::Read {
        path: path.to_owned(),
        source,
    };
    let bytes = fs::metadata(path).map_err(failed)?.len();
    if bytes > MAX_BYTES {
        return Err(ShaderError::FileTooLarge {
            path: path.to_owned(),
            bytes,
            limit: MAX_BYTES,
        });
    }
    fs::read(path).map_err(failed)
}

fn text(path: &Path) -> Result<String, ShaderError> {
    String::from_utf8(bytes(path)?).map_err(|error| ShaderError::Read {
        path: path.to_owned(),
        source: std::io::Error::new(std::io::ErrorKind::InvalidData, error.utf8_error()),
    })
}

#[cfg(feature = "spirv")]
pub(super) fn spirv(name: &str, bytes: &[u8]) -> Result<Shader, ShaderError> {
    let words = anywarp_spirv::words(bytes).map_err(|error| wrong(name, error))?;
    from_words(name, &words)
}

#[cfg(feature = "spirv")]
fn from_words(name: &str, words: &[u32]) -> Result<Shader, ShaderError> {
    let options = anywarp_spirv::ReadOptions::default();
    let parsed = anywarp_spirv::read_words(words, &options).map_err(|error| wrong(name, error))?;
    Ok(Shader::from_program(name, parsed.program))
}

#[cfg(feature = "spirv")]
fn wrong(name: &str, source: impl std::error::Error + Send + Sync + 'static) -> ShaderError {
    ShaderError::Spirv {
        file: name.to_owned(),
        source: source.into(),
    }
}
