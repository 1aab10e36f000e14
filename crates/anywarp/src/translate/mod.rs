//! Translation of programs to other shader languages.
//!
//! In: a [`Program`] and a [`Language`]. Out: the text or the SPIR-V words as bytes. The WGSL writer and the SPIR-V
//! writer are this project's; naga writes GLSL, HLSL and MSL. Overrides are kept if the language supports them (WGSL and
//! SPIR-V) and take their default values otherwise. What always holds: the output is bounded, since a small program can
//! have exponentially long text, and a panic of a writer is an error.

mod bounded;
mod prepare;
mod writers;

use anywarp_program::Program;
use anywarp_program::work::WorkLimits;
use anywarp_spirv::SpirvOptions;
use anywarp_wgsl_writer::Dialect;

pub use writers::spirv_bytes;

use crate::Shader;
use crate::panics::catch_panic;

/// An output language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// WebGPU's language, or naga's dialect of it.
    Wgsl,
    /// Binary SPIR-V.
    Spirv,
    /// SPIR-V as text.
    SpirvAssembly,
    /// Vulkan's GLSL, version 450: one entry point.
    Glsl,
    /// HLSL, shader model 6.0.
    Hlsl,
    /// Metal's language, version 2.4.
    Msl,
}

impl Language {
    /// The name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Wgsl => "WGSL",
            Self::Spirv => "SPIR-V",
            Self::SpirvAssembly => "SPIR-V assembly",
            Self::Glsl => "GLSL",
            Self::Hlsl => "HLSL",
            Self::Msl => "MSL",
        }
    }

    /// Whether it is SPIR-V, binary or assembly.
    #[must_use]
    pub fn is_spirv(self) -> bool {
        matches!(self, Self::Spirv | Self::SpirvAssembly)
    }
}

/// Options of [`translate_with`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TranslateOptions {
    /// Writes only this entry point and what it uses; required for GLSL if the program has several.
    pub entry: Option<String>,
    /// Replaces overrides by their default values in WGSL and SPIR-V too.
    pub freeze_constants: bool,
    /// The dialect of WGSL.
    pub dialect: Dialect,
    /// What only SPIR-V has: version, names, `discard`, bounds checks, the direction of y. The options above and the
    /// limits replace its own.
    pub spirv: SpirvOptions,
    /// Limits on the output and the work.
    pub limits: WorkLimits,
}

impl Default for TranslateOptions {
    fn default() -> Self {
        Self {
            entry: None,
            freeze_constants: false,
            dialect: Dialect::default(),
            spirv: SpirvOptions::default(),
            limits: WorkLimits::TRANSLATION,
        }
    }
}

/// Why a program cannot be translated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TranslateError {
    /// The language takes one entry point, and the program has none.
    #[error("the program has no entry point")]
    NoEntryPoint,
    /// The language takes one entry point, and none was chosen.
    #[error("the program has several entry points, choose one: {available}")]
    AmbiguousEntryPoint {
        /// Their names.
        available: String,
    },
    /// There is no entry point of this name.
    #[error("the program has no entry point `{name}`; it has {available}")]
    UnknownEntryPoint {
        /// The name that was looked for.
        name: String,
        /// The names of all entry points.
        available: String,
    },
    /// The writer refused the program.
    #[error("the program cannot be written as {}: {reason}", language.name())]
    Writer {
        /// The output language.
        language: Language,
        /// The writer's reason.
        reason: String,
    },
}

/// Translates a shader with default options.
///
/// ```
/// use anywarp::{Language, Shader, translate};
///
/// let shader = Shader::wgsl(
///     "@group(0) @binding(0) var<storage, read_write> numbers: array<f32>;
///      @compute @workgroup_size(64) fn double(@builtin(global_invocation_id) id: vec3u) {
///          numbers[id.x] *= 2.0;
///      }",
/// )?;
/// let words = translate(&shader, Language::Spirv)?;
/// assert_eq!(words[..4], 0x0723_0203_u32.to_le_bytes());
/// let again = Shader::spirv(&words)?;
/// let text = String::from_utf8(translate(&again, Language::Wgsl)?)?;
/// assert!(text.contains("fn double("));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn translate(shader: &Shader, language: Language) -> Result<Vec<u8>, TranslateError> {
    translate_with(shader.program(), language, &TranslateOptions::default())
}

/// Translates a program.
pub fn translate_with(
    program: &Program,
    language: Language,
    options: &TranslateOptions,
) -> Result<Vec<u8>, TranslateError> {
    let entry = prepare::choose_entry(program, options.entry.as_deref(), language)?;
    let freezes = options.freeze_constants;
    // naga panics on input that it does not support.
    let written = catch_panic(|| {
        let program = prepare::prepare(program, entry.as_ref(), language, freezes)?;
        let writer = writers::Writer {
            program: &program,
            entry: entry.as_ref(),
            options,
        };
        writer.write(language)
    });
    written
        .and_then(|written| written)
        .map_err(|reason| TranslateError::Writer { language, reason })
}
