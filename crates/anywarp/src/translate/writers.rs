//! Calls the writer of each language.

use anywarp_program::Program;
use anywarp_program::naga::back::{glsl, hlsl, msl};
use anywarp_program::naga::proc::BoundsCheckPolicies;
use anywarp_program::work::MeteredText;
use anywarp_spirv::SpirvOptions;
use anywarp_wgsl_writer::WgslOptions;

use super::prepare::Entry;
use super::{Language, TranslateOptions, bounded};
use crate::panics::catch_panic;

/// A program to write, and the options.
pub(super) struct Writer<'a> {
    pub(super) program: &'a Program,
    pub(super) entry: Option<&'a Entry>,
    pub(super) options: &'a TranslateOptions,
}

impl Writer<'_> {
    pub(super) fn write(&self, language: Language) -> Result<Vec<u8>, String> {
        match language {
            Language::Wgsl => self.wgsl(),
            Language::Spirv | Language::SpirvAssembly => spirv_bytes(&self.spirv()?, language),
            Language::Glsl | Language::Hlsl | Language::Msl => self.naga(language),
        }
    }

    /// Text of one of naga's writers, up to the limits.
    fn naga(&self, language: Language) -> Result<Vec<u8>, String> {
        let mut text = MeteredText::new(self.options.limits);
        let write = match language {
            Language::Glsl => write_glsl,
            Language::Hlsl => write_hlsl,
            _ => write_msl,
        };
        // A writer may also panic when its output is refused.
        let written = catch_panic(|| write(self.program, self.entry, &mut text));
        bounded::whole(text, written.flatten(), self.program.module())
    }

    fn wgsl(&self) -> Result<Vec<u8>, String> {
        let mut options = WgslOptions::new(self.options.dialect);
        options.limits = self.options.limits;
        anywarp_wgsl_writer::write_wgsl(self.program, &options)
            .map(String::into_bytes)
            .map_err(|error| error.to_string())
    }

    fn spirv(&self) -> Result<Vec<u32>, String> {
        let mut options: SpirvOptions = self.options.spirv.clone();
        options.entry_point = self.entry.map(|(_, name)| name.clone());
        options.freeze_constants = self.options.freeze_constants;
        options.limits = self.options.limits;
        anywarp_spirv::write_spirv(self.program, &options).map_err(|error| error.to_string())
    }
}

/// SPIR-V words as a file, binary or assembly.
#[doc(hidden)]
pub fn spirv_bytes(words: &[u32], language: Language) -> Result<Vec<u8>, String> {
    match language {
        Language::SpirvAssembly => anywarp_spirv::disassemble(words)
            .map(String::into_bytes)
            .map_err(|error| error.to_string()),
        _ => Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect()),
    }
}

fn write_glsl(
    program: &Program,
    entry: Option<&Entry>,
    text: &mut MeteredText,
) -> Result<(), String> {
    let (shader_stage, entry_point) = entry.cloned().ok_or("no entry point was chosen")?;
    let options = glsl::Options {
        version: glsl::Version::Desktop(450),
        ..Default::default()
    };
    let pipeline = glsl::PipelineOptions {
        shader_stage,
        entry_point,
        multiview: None,
    };
    glsl::Writer::new(
        text,
        program.module(),
        program.info(),
        &options,
        &pipeline,
        BoundsCheckPolicies::default(),
    )
    .and_then(|mut writer| writer.write())
    .map(|_| ())
    .map_err(|error| error.to_string())
}

fn write_hlsl(
    program: &Program,
    entry: Option<&Entry>,
    text: &mut MeteredText,
) -> Result<(), String> {
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_0,
        ..Default::default()
    };
    let pipeline = hlsl::PipelineOptions {
        entry_point: entry.cloned(),
    };
    hlsl::Writer::new(text, &options, &pipeline)
        .write(program.module(), program.info(), None)
        .map(|_| ())
        .map_err(|error| error.to_string())
}

fn write_msl(
    program: &Program,
    entry: Option<&Entry>,
    text: &mut MeteredText,
) -> Result<(), String> {
    let options = msl::Options {
        lang_version: (2, 4),
        ..Default::default()
    };
    let pipeline = msl::PipelineOptions {
        entry_point: entry.cloned(),
        ..Default::default()
    };
    msl::Writer::new(text)
        .write(program.module(), program.info(), &options, &pipeline)
        .map(|_| ())
        .map_err(|error| error.to_string())
}
