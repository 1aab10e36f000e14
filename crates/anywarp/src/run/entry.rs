//! Selects the entry point and its constants.

use anywarp_program::naga::ShaderStage;
use anywarp_program::{Constants, Program, ProgramError};

use crate::error::{Error, listing};
use crate::input::Input;
use crate::interface::Interface;
use crate::specs::ConstantValue;

/// The named entry point, or the only compute entry point.
pub(crate) fn choose(input: &Input, wanted: Option<&str>) -> Result<String, Error> {
    match wanted {
        Some(name) => named(input, name),
        None => only(input),
    }
}

fn named(input: &Input, name: &str) -> Result<String, Error> {
    let points = &input.program.module().entry_points;
    let mut same_name = points.iter().filter(|point| point.name == name);
    // A module may use one name for several stages.
    if same_name.clone().any(|p| p.stage == ShaderStage::Compute) {
        return Ok(name.to_owned());
    }
    Err(match same_name.next() {
        Some(point) => not_compute(input, name, point.stage),
        None => Error::UnknownEntryPoint {
            file: input.name.clone(),
            name: name.to_owned(),
            available: listing(points.iter().map(|point| format!("`{}`", point.name))),
        },
    })
}

fn only(input: &Input) -> Result<String, Error> {
    let points = &input.program.module().entry_points;
    let is_compute = |point: &&naga::EntryPoint| point.stage == ShaderStage::Compute;
    let compute: Vec<_> = points.iter().filter(is_compute).collect();
    match (compute.as_slice(), points.first()) {
        ([only], _) => Ok(only.name.clone()),
        ([], Some(other)) => Err(not_compute(input, &other.name, other.stage)),
        ([], None) => Err(Error::NoEntryPoint {
            file: input.name.clone(),
        }),
        (several, _) => Err(Error::AmbiguousEntryPoint {
            file: input.name.clone(),
            kind: "compute ",
            available: listing(several.iter().map(|point| format!("`{}`", point.name))),
        }),
    }
}

fn not_compute(input: &Input, name: &str, stage: ShaderStage) -> Error {
    Error::NotCompute {
        file: input.name.clone(),
        name: name.to_owned(),
        stage: anywarp_program::stage_name(stage),
    }
}

/// The values of the program's overrides by their keys in a pipeline: the `@id` if there is one, otherwise the name.
/// Unknown names are kept; [`interface`] rejects them.
pub(crate) fn constants(input: &Input, given: &[ConstantValue]) -> Result<Constants, Error> {
    let overrides = input.program.overrides();
    let mut constants = Constants::new();
    for constant in given {
        let id = overrides
            .iter()
            .find(|item| item.name == constant.name)
            .and_then(|item| item.id);
        let key = id.map_or_else(|| constant.name.clone(), |id| id.to_string());
        if constants.insert(key, constant.value).is_some() {
            return Err(Error::ConstantGivenTwice(constant.name.clone()));
        }
    }
    Ok(constants)
}

/// Specialises the program with the constants, and returns it with the interface of its entry point.
pub(crate) fn interface(
    input: &Input,
    entry: &str,
    constants: &Constants,
) -> Result<(Program, Interface), Error> {
    let stage = ShaderStage::Compute;
    let explained = |error| match error {
        ProgramError::Constant(reason) => Error::Constant {
            file: input.name.clone(),
            reason,
        },
        other => other.into(),
    };
    let program = input.program.specialize(stage, entry, constants);
    let program = program.map_err(explained)?;
    let found = |program: &Program| {
        let points = program.entry_points();
        let mut points = points.iter();
        let point = points.find(|point| point.stage == stage && point.name == entry)?;
        Some(Interface::new(program, point))
    };
    let missing = || Error::NoEntryPoint {
        file: input.name.clone(),
    };
    let mut interface = found(&program).ok_or_else(missing)?;
    // Devices get the unspecialised program and need all bindings that it mentions, even if some are unused with
    // these constants.
    let whole = found(&input.program).ok_or_else(missing)?;
    interface.sampling = whole.sampling;
    for binding in whole.bindings {
        if !interface.bindings.iter().any(|it| it.slot == binding.slot) {
            interface.bindings.push(binding);
        }
    }
    interface
        .bindings
        .sort_by_key(|it| (it.slot.group, it.slot.binding));
    Ok((program, interface))
}
