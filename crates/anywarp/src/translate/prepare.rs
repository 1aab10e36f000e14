//! Prepares a program for writing: selects the entry point and resolves constants.

use anywarp_program::naga::back::pipeline_constants::process_overrides;
use anywarp_program::naga::compact::{KeepUnused, compact};
use anywarp_program::naga::{Arena, ShaderStage};
use anywarp_program::{Constants, Program, ProgramError};

use super::{Language, TranslateError};

/// An entry point.
pub(super) type Entry = (ShaderStage, String);

/// The requested entry point; GLSL has exactly one, so a choice is required there.
pub(super) fn choose_entry(
    program: &Program,
    wanted: Option<&str>,
    language: Language,
) -> Result<Option<Entry>, TranslateError> {
    let points = &program.module().entry_points;
    let available = || {
        let names: Vec<String> = points
            .iter()
            .map(|point| format!("`{}`", point.name))
            .collect();
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        }
    };
    if let Some(name) = wanted {
        let found = points.iter().find(|point| point.name == name);
        return match found {
            Some(point) => Ok(Some((point.stage, point.name.clone()))),
            None => Err(TranslateError::UnknownEntryPoint {
                name: name.to_owned(),
                available: available(),
            }),
        };
    }
    match (language, points.as_slice()) {
        (Language::Glsl, []) => Err(TranslateError::NoEntryPoint),
        (Language::Glsl, [only]) => Ok(Some((only.stage, only.name.clone()))),
        (Language::Glsl, _) => Err(TranslateError::AmbiguousEntryPoint {
            available: available(),
        }),
        _ => Ok(None),
    }
}

/// WGSL and SPIR-V support `override`; the other writers take modules without overrides.
pub(super) fn prepare(
    program: &Program,
    entry: Option<&Entry>,
    language: Language,
    freezes: bool,
) -> Result<Program, String> {
    // This writer does both itself.
    if language.is_spirv() {
        return Ok(program.clone());
    }
    let program = match entry {
        Some(entry) => &alone(program, entry)?,
        None => program,
    };
    if program.module().overrides.is_empty() || (language == Language::Wgsl && !freezes) {
        return Ok(program.clone());
    }
    let text = |error: ProgramError| error.to_string();
    match program.module().entry_points.as_slice() {
        [only] => program
            .specialize(only.stage, &only.name, &Constants::default())
            .map_err(text),
        _ if language == Language::Wgsl => frozen(program),
        _ => Err("it has overrides and several entry points; choose with --entry".to_owned()),
    }
}

/// Keeps one entry point and what it uses; overrides are kept.
fn alone(program: &Program, entry: &Entry) -> Result<Program, String> {
    let mut module = program.module().clone();
    module
        .entry_points
        .retain(|point| (point.stage, &point.name) == (entry.0, &entry.1));
    compact(&mut module, KeepUnused::No);
    Program::from_module(module).map_err(|error| error.to_string())
}

/// Keeps all entry points, with overrides replaced by their default values.
fn frozen(program: &Program) -> Result<Program, String> {
    let constants = Default::default();
    let (module, _) = process_overrides(program.module(), program.info(), None, &constants)
        .map_err(|error| error.to_string())?;
    let mut module = module.into_owned();
    // Nothing refers to them any more.
    module.overrides = Arena::new();
    Program::from_module(module).map_err(|error| error.to_string())
}
