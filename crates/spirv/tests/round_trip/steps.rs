//! The steps of a round trip.

use anywarp_program::Program;
use anywarp_spirv::{ReadOptions, SpirvOptions, read, write_spirv};
use anywarp_wgsl_writer::{Dialect, WgslOptions, write_wgsl};

use crate::common::tools::bytes;

/// The results of all steps.
pub(crate) struct Steps {
    /// The first SPIR-V, and the SPIR-V from the first WGSL.
    pub(crate) words: [Vec<u32>; 2],
    /// The WGSL from each.
    pub(crate) texts: [String; 2],
    /// The programs parsed from that WGSL.
    pub(crate) programs: [Program; 2],
}

/// Executes all steps. Errors name the step.
pub(crate) fn steps(program: &Program, options: &SpirvOptions) -> Result<Steps, String> {
    let write = |program: &Program, step: &str| {
        write_spirv(program, options).map_err(|error| format!("{step}: no SPIR-V: {error}"))
    };
    let back = |words: &[u32], step: &str| {
        let reading = read(&bytes(words), &ReadOptions::default());
        let reading = reading.map_err(|error| format!("{step}: not read: {error}"))?;
        let text = write_wgsl(&reading.program, &WgslOptions::new(Dialect::Naga));
        let text = text.map_err(|error| format!("{step}: no WGSL: {error}"))?;
        let program = Program::from_wgsl(&text);
        let program = program.map_err(|error| format!("{step}: naga refuses: {error}\n{text}"))?;
        Ok::<_, String>((text, program))
    };
    let first = write(program, "first")?;
    let (first_text, first_program) = back(&first, "first")?;
    let second = write(&first_program, "second")?;
    let (second_text, second_program) = back(&second, "second")?;
    Ok(Steps {
        words: [first, second],
        texts: [first_text, second_text],
        programs: [first_program, second_program],
    })
}
