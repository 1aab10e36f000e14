//! Which entry point runs, and with which constants.

use anywarp_program::naga::ShaderStage;
use anywarp_program::{Constants, ProgramError};

use crate::error::{Error, listing};
use crate::input::Input;
use crate::interface::{self, EntryInterface, OverrideConstant};
use crate::specs::ConstantValue;

/// The named entry point, or the only compute entry point.
pub(super) fn choose(input: &Input, wanted: Option<&str>) -> Result<String, Error> {
    let points = &input.program.module().entry_points;
    let quoted = |compute_only: bool| {
        listing(
            points
                .iter()
                .filter(|point| !compute_only || point.stage == ShaderStage::Compute)
                .map(|point| format!("`{}`", point.name)),
        )
    };
    let compute = |name: &&str| {
        let mut points = points.iter();
        points.any(|point| point.name == **name && point.stage == ShaderStage::Compute)
    };
    let file = || input.name.clone();

    if let Some(name) = wanted {
        if compute(&name) {
            return Ok(name.to_owned());
        }
        return Err(match points.iter().find(|point| point.name == name) {
            Some(point) => Error::NotCompute {
                file: file(),
                name: name.to_owned(),
                stage: interface::stage_name(point.stage),
            },
            None => Error::UnknownEntryPoint {
                file: file(),
                name: name.to_owned(),
                available: quoted(false),
            },
        });
    }
    let mut candidates = points
        .iter()
        .map(|point| point.name.as_str())
        .filter(compute);
    match (candidates.next(), candidates.next(), points.first()) {
        (Some(only), None, _) => Ok(only.to_owned()),
        (Some(_), Some(_), _) => Err(Error::AmbiguousEntryPoint {
            file: file(),
            kind: "compute ",
            available: quoted(true),
        }),
        (None, _, Some(other)) => Err(Error::NotCompute {
            file: file(),
            name: other.name.clone(),
            stage: interface::stage_name(other.stage),
        }),
        (None, _, None) => Err(Error::NoEntryPoint { file: file() }),
    }
}

/// Values for the program's overrides, by the key a pipeline knows them by.
pub(super) fn constants(input: &Input, given: &[ConstantValue]) -> Result<Constants, Error> {
    let overrides = interface::overrides(&input.program);
    let mut constants = Constants::new();
    for constant in given {
        let known = overrides.iter().find(|item| {
            item.key() == constant.name || item.name.as_deref() == Some(&constant.name)
        });
        let known = known.ok_or_else(|| Error::UnknownConstant {
            file: input.name.clone(),
            name: constant.name.clone(),
            available: known_constants(&overrides),
        })?;
        if constants.insert(known.key(), constant.value).is_some() {
            return Err(Error::ConstantGivenTwice(constant.name.clone()));
        }
    }
    Ok(constants)
}

/// What the entry point asks for once its constants have values.
pub(super) fn interface(
    input: &Input,
    entry: &str,
    constants: &Constants,
) -> Result<EntryInterface, Error> {
    interface::resolved(&input.program, ShaderStage::Compute, entry, constants).map_err(|error| {
        match error {
            ProgramError::Constant(reason) => Error::Constant {
                file: input.name.clone(),
                reason,
            },
            other => other.into(),
        }
    })
}

fn known_constants(overrides: &[OverrideConstant]) -> String {
    if overrides.is_empty() {
        return "it has no constants".to_owned();
    }
    let names = overrides.iter().map(|item| match &item.name {
        Some(name) => format!("`{name}`"),
        None => format!("@id({})", item.key()),
    });
    format!("it has {}", listing(names))
}
