//! The languages that can be read and written, by file extension.

use std::path::Path;

use clap::ValueEnum;

use crate::error::Error;
use crate::input;

/// An output language; as an argument named by its extension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    Wgsl,
    #[value(name = "spv")]
    Spirv,
    #[value(name = "spvasm")]
    Assembly,
    Glsl,
    Hlsl,
    Msl,
}

/// The languages with one extension; GLSL has one for each stage.
const READABLE: [Language; 3] = [Language::Wgsl, Language::Spirv, Language::Assembly];

impl Language {
    /// The language of an output.
    pub(super) fn of(path: &Path) -> Result<Self, Error> {
        let extension = input::extension(path);
        let mut all = Self::value_variants().iter();
        if let Some(language) = all.find(|it| it.extension() == extension) {
            return Ok(*language);
        }
        let reason = match extension {
            "" => "the file has no extension".to_owned(),
            other => format!("`.{other}` is not a shader language"),
        };
        Err(Error::UnsupportedOutput {
            path: path.to_owned(),
            reason: format!("{reason}; give a .wgsl, .spv, .spvasm, .glsl, .hlsl or .msl file"),
        })
    }

    /// The language for standard output if `--to` is not given: SPIR-V is translated to WGSL.
    pub(super) fn for_stdout(input: &Path) -> Result<Self, Error> {
        match Self::of_input(input) {
            Some(Self::Wgsl) => Err(Error::Argument {
                option: "--to",
                reason: "the input is WGSL: give the language to write to standard output, \
                         --to spv|spvasm|glsl|hlsl|msl|wgsl"
                    .to_owned(),
            }),
            _ => Ok(Self::Wgsl),
        }
    }

    /// The language of an input, if it can be read.
    pub(super) fn of_input(path: &Path) -> Option<Self> {
        let extension = input::format(path);
        if input::is_glsl(path) {
            return Some(Self::Glsl);
        }
        READABLE.into_iter().find(|it| it.extension() == extension)
    }

    pub(super) fn extension(self) -> &'static str {
        match self {
            Self::Wgsl => "wgsl",
            Self::Spirv => "spv",
            Self::Assembly => "spvasm",
            Self::Glsl => "glsl",
            Self::Hlsl => "hlsl",
            Self::Msl => "msl",
        }
    }

    pub(super) fn name(self) -> &'static str {
        anywarp::Language::from(self).name()
    }

    /// Whether it is SPIR-V, binary or assembly.
    pub(super) fn is_spirv(self) -> bool {
        matches!(self, Self::Spirv | Self::Assembly)
    }
}

impl From<Language> for anywarp::Language {
    fn from(language: Language) -> Self {
        match language {
            Language::Wgsl => Self::Wgsl,
            Language::Spirv => Self::Spirv,
            Language::Assembly => Self::SpirvAssembly,
            Language::Glsl => Self::Glsl,
            Language::Hlsl => Self::Hlsl,
            Language::Msl => Self::Msl,
        }
    }
}
