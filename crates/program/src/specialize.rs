//! Pipeline-overridable constants become ordinary ones.

use std::collections::HashMap;

use crate::{Program, ProgramError};

/// Values for pipeline-overridable constants, by name or by `@id` in decimal.
pub type Constants = HashMap<String, f64>;

impl Program {
    /// The program with every `override` resolved for one entry point.
    ///
    /// The result holds that entry point alone and has no overrides: array sizes, workgroup sizes
    /// and expressions that used them are plain constants.
    pub fn specialize(
        &self,
        stage: naga::ShaderStage,
        entry_point: &str,
        constants: &Constants,
    ) -> Result<Program, ProgramError> {
        let constants = constants.iter().map(|(k, v)| (k.clone(), *v)).collect();
        let (module, info) = naga::back::pipeline_constants::process_overrides(
            &self.module,
            &self.info,
            Some((stage, entry_point)),
            &constants,
        )
        .map_err(|error| ProgramError::Constant(error.to_string()))?;
        Ok(Program {
            module: std::sync::Arc::new(module.into_owned()),
            info: std::sync::Arc::new(info.into_owned()),
            source: self.source.clone(),
        })
    }
}
