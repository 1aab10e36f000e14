//! `anywarp translate`: a program in another language.
//!
//! WGSL and SPIR-V are read and written by `anywarp-spirv`, GLSL, HLSL and MSL written by naga. The
//! result means what the input means; overrides stay open where the language has them (WGSL and
//! SPIR-V) and take their defaults elsewhere.

use std::fs;
use std::path::Path;

use anywarp_program::naga::ShaderStage;
use anywarp_program::naga::back::{glsl, hlsl, msl};
use anywarp_program::naga::proc::BoundsCheckPolicies;
use anywarp_program::{Constants, Program};
use anywarp_spirv::{Dialect, SpirvOptions, WgslOptions};

use crate::cli::TranslateArgs;
use crate::contain::contain;
use crate::error::{Error, listing};
use crate::input::{self, Input};

/// What can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    Wgsl,
    Spirv,
    Glsl,
    Hlsl,
    Msl,
}

/// Runs the command.
pub(crate) fn translate(args: &TranslateArgs) -> Result<(), Error> {
    let language = Language::of(&args.output)?;
    let input = input::load(&args.input)?;
    let entry = choose_entry(&input, args.entry.as_deref(), language)?;
    let failed = |reason| Error::Translate {
        file: input.name.clone(),
        language: language.name(),
        reason,
    };
    let program = prepare(&input.program, entry.as_ref(), language).map_err(failed)?;
    // naga's writers panic on what they do not handle.
    let bytes = contain(|| write(&program, entry.as_ref(), language, args))
        .and_then(|written| written)
        .map_err(failed)?;
    fs::write(&args.output, bytes).map_err(|source| Error::Write {
        path: args.output.clone(),
        source,
    })
}

impl Language {
    fn of(path: &Path) -> Result<Self, Error> {
        let reason = match input::extension(path) {
            "wgsl" => return Ok(Self::Wgsl),
            "spv" => return Ok(Self::Spirv),
            "glsl" => return Ok(Self::Glsl),
            "hlsl" => return Ok(Self::Hlsl),
            "msl" => return Ok(Self::Msl),
            "spvasm" => "SPIR-V assembly cannot be written yet".to_owned(),
            "" => "the file has no extension".to_owned(),
            other => format!("`.{other}` is no shader language"),
        };
        Err(Error::UnsupportedOutput {
            path: path.to_owned(),
            reason: format!("{reason}; give a .wgsl, .spv, .glsl, .hlsl or .msl file"),
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Wgsl => "WGSL",
            Self::Spirv => "SPIR-V",
            Self::Glsl => "GLSL",
            Self::Hlsl => "HLSL",
            Self::Msl => "MSL",
        }
    }
}

type Entry = (ShaderStage, String);

/// The entry point asked for; GLSL holds exactly one, so there it may not stay open.
fn choose_entry(
    input: &Input,
    wanted: Option<&str>,
    language: Language,
) -> Result<Option<Entry>, Error> {
    let points = &input.program.module().entry_points;
    let available = || listing(points.iter().map(|point| format!("`{}`", point.name)));
    let file = input.name.clone();
    if let Some(name) = wanted {
        let found = points.iter().find(|point| point.name == name);
        return match found {
            Some(point) => Ok(Some((point.stage, point.name.clone()))),
            None => Err(Error::UnknownEntryPoint {
                file,
                name: name.to_owned(),
                available: available(),
            }),
        };
    }
    match (language, points.as_slice()) {
        (Language::Glsl, []) => Err(Error::NoEntryPoint { file }),
        (Language::Glsl, [only]) => Ok(Some((only.stage, only.name.clone()))),
        (Language::Glsl, _) => Err(Error::AmbiguousEntryPoint {
            file,
            kind: "",
            available: available(),
        }),
        _ => Ok(None),
    }
}

/// WGSL and SPIR-V can say `override`; the other writers take modules without.
fn prepare(
    program: &Program,
    entry: Option<&Entry>,
    language: Language,
) -> Result<Program, String> {
    let text = |error: anywarp_program::ProgramError| error.to_string();
    match entry {
        // Its writer chooses the entry point by itself.
        Some(_) if language == Language::Spirv => Ok(program.clone()),
        Some((stage, name)) => program
            .specialize(*stage, name, &Constants::default())
            .map_err(text),
        None if matches!(language, Language::Wgsl | Language::Spirv)
            || program.module().overrides.is_empty() =>
        {
            Ok(program.clone())
        }
        None => match program.module().entry_points.as_slice() {
            [only] => program
                .specialize(only.stage, &only.name, &Constants::default())
                .map_err(text),
            _ => Err("it has overrides and several entry points; choose with --entry".to_owned()),
        },
    }
}

fn write(
    program: &Program,
    entry: Option<&Entry>,
    language: Language,
    args: &TranslateArgs,
) -> Result<Vec<u8>, String> {
    match language {
        Language::Wgsl => write_wgsl(program, args.dialect.into()),
        Language::Spirv => write_spirv(program, entry, args.spirv_version),
        Language::Glsl => write_glsl(program, entry),
        Language::Hlsl => write_hlsl(program, entry),
        Language::Msl => write_msl(program, entry),
    }
}

fn write_wgsl(program: &Program, dialect: Dialect) -> Result<Vec<u8>, String> {
    anywarp_spirv::write_wgsl(program, &WgslOptions::new(dialect))
        .map(String::into_bytes)
        .map_err(|error| error.to_string())
}

fn write_spirv(
    program: &Program,
    entry: Option<&Entry>,
    version: (u8, u8),
) -> Result<Vec<u8>, String> {
    let mut options = SpirvOptions::default();
    options.version = version;
    options.entry_point = entry.map(|(_, name)| name.clone());
    let words = anywarp_spirv::write_spirv(program, &options).map_err(|error| error.to_string())?;
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
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
