//! Selects an entry point, and computes its interface for given constants.

use anywarp_program::naga::{self, ShaderStage};
use anywarp_program::{Constants, Program, ProgramError};

use super::ShaderError;
use crate::reflection::Interface;

/// The named compute entry point, or the only one.
pub(super) fn choose(
    program: &Program,
    file: &str,
    wanted: Option<&str>,
) -> Result<String, ShaderError> {
    match wanted {
        Some(name) => named(program, file, name),
        None => only(program, file),
    }
}

fn named(program: &Program, file: &str, name: &str) -> Result<String, ShaderError> {
    let points = &program.module().entry_points;
    let mut same_name = points.iter().filter(|point| point.name == name);
    // A module may use one name for several stages.
    if same_name.clone().any(|p| p.stage == ShaderStage::Compute) {
        return Ok(name.to_owned());
    }
    Err(match same_name.next() {
        Some(point) => not_compute(file, name, point.stage),
        None => ShaderError::UnknownEntryPoint {
            file: file.to_owned(),
            name: name.to_owned(),
            available: listing(points.iter().map(|point| &point.name)),
        },
    })
}

fn only(program: &Program, file: &str) -> Result<String, ShaderError> {
    let points = &program.module().entry_points;
    let is_compute = |point: &&naga::EntryPoint| point.stage == ShaderStage::Compute;
    let compute: Vec<_> = points.iter().filter(is_compute).collect();
    match (compute.as_slice(), points.first()) {
        ([only], _) => Ok(only.name.clone()),
        ([], Some(other)) => Err(not_compute(file, &other.name, other.stage)),
        ([], None) => Err(ShaderError::NoEntryPoint {
            file: file.to_owned(),
        }),
        (several, _) => Err(ShaderError::AmbiguousEntryPoint {
            file: file.to_owned(),
            available: listing(several.iter().map(|point| &point.name)),
        }),
    }
}

fn not_compute(file: &str, name: &str, stage: ShaderStage) -> ShaderError {
    ShaderError::NotCompute {
        file: file.to_owned(),
        name: name.to_owned(),
        stage: anywarp_program::stage_name(stage),
    }
}

/// Names in a message: `` `a`, `b` ``, or `none`.
pub(super) fn listing<'n>(names: impl Iterator<Item = &'n String>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    if names.is_empty() {
        "none".to_owned()
    } else {
        names.join(", ")
    }
}

/// The values of the program's overrides by their keys in a pipeline: the `@id` if there is one, otherwise the name.
/// Unknown names are kept; [`Specialized::new`] rejects them.
pub(super) fn constant_key(program: &Program, name: &str) -> String {
    let overrides = program.overrides();
    let id = overrides
        .iter()
        .find(|constant| constant.name == name)
        .and_then(|constant| constant.id);
    id.map_or_else(|| name.to_owned(), |id| id.to_string())
}

/// A program that is specialized for an entry point and constants, with its interface.
#[derive(Clone, Debug)]
pub(super) struct Specialized {
    pub(super) program: Program,
    /// The resources that the entry point uses with these constants.
    pub(super) used: Interface,
    /// The resources that the entry point mentions whatever the constants are: devices get the unspecialized program,
    /// and need all of these.
    pub(super) mentioned: Interface,
}

impl Specialized {
    pub(super) fn new(
        program: &Program,
        entry: &str,
        constants: &Constants,
    ) -> Result<Self, ProgramError> {
        let stage = ShaderStage::Compute;
        let specialized = program.specialize(stage, entry, constants)?;
        let interface = |program: &Program| {
            let points = program.entry_points();
            let point = points
                .iter()
                .find(|point| point.stage == stage && point.name == entry);
            point
                .map(|point| Interface::new(program, point))
                .ok_or_else(|| ProgramError::EntryPoint(format!("no entry point `{entry}`")))
        };
        let used = interface(&specialized)?;
        let whole = interface(program)?;
        let mut mentioned = used.clone();
        mentioned.sampling = whole.sampling;
        mentioned.immediate = whole.immediate;
        for binding in whole.bindings {
            if !used.bindings.iter().any(|other| other.slot == binding.slot) {
                mentioned.bindings.push(binding);
            }
        }
        mentioned
            .bindings
            .sort_by_key(|binding| (binding.slot.group, binding.slot.binding));
        Ok(Self {
            program: specialized,
            used,
            mentioned,
        })
    }
}
