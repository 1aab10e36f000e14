//! The writers, each with the options of the command.

use anywarp_program::Program;
use anywarp_program::naga::back::{glsl, hlsl, msl};
use anywarp_program::naga::proc::BoundsCheckPolicies;
use anywarp_spirv::{SpirvOptions, WgslOptions};

use super::Language;
use super::prepare::Entry;
use crate::cli::{TranslateArgs, WgslDialect};

/// What is written, and how.
pub(super) struct Writer<'a> {
    pub(super) program: &'a Program,
    pub(super) entry: Option<&'a Entry>,
    pub(super) args: &'a TranslateArgs,
    /// Whether positions still have to be turned over.
    pub(super) flips: bool,
}

impl Writer<'_> {
    pub(super) fn write(&self, language: Language) -> Result<Vec<u8>, String> {
        match language {
            Language::Wgsl => self.wgsl(),
            Language::Spirv | Language::Assembly => spirv_bytes(&self.spirv()?, language),
            Language::Glsl => write_glsl(self.program, self.entry),
            Language::Hlsl => write_hlsl(self.program, self.entry),
            Language::Msl => write_msl(self.program, self.entry),
        }
    }

    fn wgsl(&self) -> Result<Vec<u8>, String> {
        let dialect = self.args.dialect.unwrap_or(WgslDialect::Webgpu);
        let options = WgslOptions::new(dialect.into());
        anywarp_spirv::write_wgsl(self.program, &options)
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
        anywarp_spirv::write_spirv(self.program, &options).map_err(|error| error.to_string())
    }
}

/// Words as a file, in the notation that the language says.
pub(super) fn spirv_bytes(words: &[u32], language: Language) -> Result<Vec<u8>, String> {
    match language {
        Language::Assembly => anywarp_spirv::disassemble(words)
            .map(String::into_bytes)
            .map_err(|error| error.to_string()),
        _ => Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect()),
    }
}

fn write_glsl(program: &Program, entry: Option<&Entry>) -> Result<Vec<u8>, String> {
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
    let mut text = String::new();
    glsl::Writer::new(
        &mut text,
        program.module(),
        program.info(),
        &options,
        &pipeline,
        BoundsCheckPolicies::default(),
    )
    .and_then(|mut writer| writer.write())
    .map_err(|error| error.to_string())?;
    Ok(text.into_bytes())
}

fn write_hlsl(program: &Program, entry: Option<&Entry>) -> Result<Vec<u8>, String> {
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_0,
        ..Default::default()
    };
    let pipeline = hlsl::PipelineOptions {
        entry_point: entry.cloned(),
    };
    let mut text = String::new();
    hlsl::Writer::new(&mut text, &options, &pipeline)
        .write(program.module(), program.info(), None)
        .map_err(|error| error.to_string())?;
    Ok(text.into_bytes())
}

fn write_msl(program: &Program, entry: Option<&Entry>) -> Result<Vec<u8>, String> {
    let options = msl::Options {
        lang_version: (2, 4),
        ..Default::default()
    };
    let pipeline = msl::PipelineOptions {
        entry_point: entry.cloned(),
        ..Default::default()
    };
    msl::write_string(program.module(), program.info(), &options, &pipeline)
        .map(|(text, _)| text.into_bytes())
        .map_err(|error| error.to_string())
}
