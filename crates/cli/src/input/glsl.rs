//! Loads GLSL files, which do not declare their shader stage.
//!
//! In: a path and the text. Out: a program. The stage comes from the first of these that is present: the extension
//! (`a.comp`), the one before it (`a.comp.glsl`), glslang's pragma (`#pragma shader_stage(compute)`), and a workgroup
//! size, which only compute shaders have.

use std::path::Path;

use anywarp_program::naga::ShaderStage;
use anywarp_program::{Program, ProgramError, Source};

use super::{extension, is_stdin, program_text};
use crate::error::Error;
use anywarp::panics::catch_panic;

/// Whether a path names a GLSL file by its extension.
pub(crate) fn is_glsl(path: &Path) -> bool {
    is_stdin(path) && super::format(path) == "glsl" || by_name(path).is_some()
}

/// Reads and validates a program.
pub(super) fn load(path: &Path, name: &str) -> Result<Program, Error> {
    let text = program_text(path)?;
    let Some(stage) = by_name(path).or_else(|| by_text(&text)) else {
        return Err(Error::UnsupportedInput {
            path: name.into(),
            reason: "nothing says which stage this GLSL is for: call it .comp, .vert or .frag, or write \
                `#pragma shader_stage(compute)` into it"
                .to_owned(),
        });
    };
    let source = Source::new(name, text);
    catch_panic(|| Program::from_glsl_source(source, stage))
        .map_err(ProgramError::Internal)?
        .map_err(Error::from)
}

fn by_name(path: &Path) -> Option<ShaderStage> {
    let last = extension(path);
    let stem = path.file_stem().map(Path::new);
    let before = stem.map_or("", extension);
    match if last == "glsl" { before } else { last } {
        "comp" => Some(ShaderStage::Compute),
        "frag" => Some(ShaderStage::Fragment),
        "vert" => Some(ShaderStage::Vertex),
        _ => None,
    }
}

fn by_text(text: &str) -> Option<ShaderStage> {
    let pragma = text.lines().find_map(|line| {
        let line: String = line.split_whitespace().collect();
        let stage = line.strip_prefix("#pragmashader_stage(")?;
        match stage.split(')').next()? {
            "compute" => Some(ShaderStage::Compute),
            "fragment" => Some(ShaderStage::Fragment),
            "vertex" => Some(ShaderStage::Vertex),
            _ => None,
        }
    });
    let is_compute = text.contains("local_size_x");
    pragma.or(is_compute.then_some(ShaderStage::Compute))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_say_the_stage() {
        for (name, stage) in [
            ("a.comp", Some(ShaderStage::Compute)),
            ("a/b.vert", Some(ShaderStage::Vertex)),
            ("a.frag.glsl", Some(ShaderStage::Fragment)),
            ("a.glsl", None),
            ("frag.glsl", None),
            ("a.comp.wgsl", None),
        ] {
            assert_eq!(by_name(Path::new(name)), stage, "{name}");
        }
        for (text, stage) in [
            (
                "#version 450\n# pragma shader_stage( vertex )\n",
                Some(ShaderStage::Vertex),
            ),
            ("layout(local_size_x = 1) in;", Some(ShaderStage::Compute)),
            ("void main() {}", None),
        ] {
            assert_eq!(by_text(text), stage, "{text}");
        }
    }
}
