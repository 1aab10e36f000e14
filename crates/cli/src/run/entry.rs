//! Selects the entry point and its constants.

use anywarp::reflection::Interface;
use anywarp::{Shader, ShaderError};
use anywarp_program::{Constants, Program, ProgramError};

use crate::error::Error;
use crate::input::Input;
use crate::specs::ConstantValue;

/// An entry point with constants.
pub(crate) struct Chosen {
    pub(crate) name: String,
    /// By their keys in a pipeline.
    pub(crate) constants: Constants,
    /// The program with these constants.
    pub(crate) program: Program,
    /// The resources that a device needs.
    pub(crate) interface: Interface,
}

/// The named entry point, or the only compute entry point, with these constants.
pub(crate) fn choose(
    input: &Input,
    wanted: Option<&str>,
    constants: &[ConstantValue],
) -> Result<Chosen, Error> {
    let shader = Shader::from_program(&input.name, input.program.clone());
    let dispatch = match wanted {
        Some(name) => shader.entry(name),
        None => shader.only_entry(),
    };
    let mut dispatch = dispatch.map_err(|error| explained(error, &input.name))?;
    for constant in constants {
        dispatch = dispatch.constant(&constant.name, constant.value);
    }
    let name = dispatch.entry().to_owned();
    let specialized = dispatch.specialize();
    let (program, constants, interface) =
        specialized.map_err(|error| explained(error, &input.name))?;
    Ok(Chosen {
        name,
        constants,
        program,
        interface,
    })
}

/// The errors of the library in the terms of the command.
fn explained(error: ShaderError, file: &str) -> Error {
    let file = file.to_owned();
    match error {
        ShaderError::NoEntryPoint { .. } => Error::NoEntryPoint { file },
        ShaderError::AmbiguousEntryPoint { available, .. } => Error::AmbiguousEntryPoint {
            file,
            kind: "compute ",
            available,
        },
        ShaderError::UnknownEntryPoint {
            name, available, ..
        } => Error::UnknownEntryPoint {
            file,
            name,
            available,
        },
        ShaderError::NotCompute { name, stage, .. } => Error::NotCompute { file, name, stage },
        ShaderError::ConstantTwice { name } => Error::ConstantGivenTwice(name),
        ShaderError::Program(ProgramError::Constant(reason)) => Error::Constant { file, reason },
        ShaderError::Program(error) => error.into(),
        other => Error::Shader(Box::new(other)),
    }
}
