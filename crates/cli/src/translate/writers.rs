//! Calls the writer of each language with the options of the command.

use anywarp_program::Program;
use anywarp_program::naga::back::{glsl, hlsl, msl};
use anywarp_program::naga::proc::BoundsCheckPolicies;
use anywarp_program::work::MeteredText;
use anywarp_spirv::SpirvOptions;
use anywarp_wgsl_writer::WgslOptions;

use super::Language;
use super::bounded;
use super::prepare::Entry;
use crate::cli::{TranslateArgs, WgslDialect};
use anywarp::panics::catch_panic;

/// A program to write, and the options.
pub(super) struct Writer<'a> {
    pub(super) program: &'a Program,
    pub(super) entry: Option<&'a Entry>,
    pub(super) args: &'a TranslateArgs,
    /// Whether the y coordinate of positions still has to be negated.
    pub(super) flips: bool,
}

impl Writer<'_> {
    pub(super) fn write(&self, language: Language) -> Result<Vec<u8>, String> {
        match language {
            Language::Wgsl => self.wgsl(),
            Language::Spirv | Language::Assembly => spirv_bytes(&self.spirv()?, language),
            Language::Glsl | Language::Hlsl | Language::Msl => self.naga(language),
        }
    }

    /// Text of one of naga's writers, up to the limits.
    fn naga(&self, language: Language) -> Result<Vec<u8>, String> {
        let mut text = MeteredText::new(self.args.work.limits());
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
        let dialect = self.args.dialect.unwrap_or(WgslDialect::Webgpu);
        let mut options = WgslOptions::new(dialect.into());
        options.limits = self.args.work.limits();
        anywarp_wgsl_writer::write_wgsl(self.program, &options)
            .map(String::into_bytes)
            .map_err(|error| error.to_string())
    }

    fn spirv(&self) -> Result<Vec<u32>, String> {
        let mut options = SpirvOptions::default();
        options.version = self.args.spirv_version.unwrap_or(options.version);
        options.entry_point = self.entry.map(|(_, name)| name.clone());
        options.freeze_constants = self.args.freeze_constants;
        options.flip_y = self.flips;
        options.debug_names = !self.args.strip_names;
        options.discard = self.args.discard.map_or(options.discard, Into::into);
        options.check_bounds = self.args.check_bounds;
        options.limits = self.args.work.limits();
        anywarp_spirv::write_spirv(self.program, &options).map_err(|error| error.to_string())
    }
}

/// SPIR-V words as a file, binary or assembly.
pub(super) fn spirv_bytes(words: &[u32], language: Language) -> Result<Vec<u8>, String> {
    match language {
        Language::Assembly => anywarp_spirv::disassemble(words)
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
