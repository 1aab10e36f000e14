//! Post-processes the words of naga's writer.
//!
//! In: words and the plan of specialization constants. Out: words in which
//! - marked variables and types are specialization constants and demotions;
//! - sample masks are arrays of one element, as Vulkan requires;
//! - sizes of storage images and multisampled images are queried without a level;
//! - `!=` is true for NaN;
//! - reads and writes of images without a format have their capability.
//!
//! What always holds: one pass finds the instructions that may change, everything between them is copied unchanged, and
//! nothing is copied if nothing changes. Facts about ids are not stored: the position of the instruction that defines
//! an id is, and contains everything. naga's order is relied upon: types before constants, variables and functions.

mod analysis;
mod comparisons;
mod constants;
mod instruction;
mod rewrite;
mod section;

use rspirv::spirv::{Capability, Op};

use super::constants::SpecConstantPlan;
use super::error::SpirvError;
pub(super) use analysis::ModuleAnalysis;
pub(super) use instruction::{instructions, push, string};
pub(super) use rewrite::Rewriter;
pub(super) use section::Section;

/// Settings of the output.
pub(super) struct OutputSettings {
    pub(super) version: (u8, u8),
    pub(super) names: bool,
}

/// Applies all corrections.
pub(super) fn correct(
    mut words: Vec<u32>,
    plan: &SpecConstantPlan,
    settings: &OutputSettings,
) -> Result<Vec<u32>, SpirvError> {
    let analysis = ModuleAnalysis::find(&words, settings);
    check_version(&analysis, settings.version)?;
    comparisons::correct_at(&mut words, &analysis.comparisons);
    let rewriter = Rewriter::new(&analysis, plan, settings, &words);
    if rewriter.changes_nothing() {
        Ok(words)
    } else {
        rewriter.run()
    }
}

/// Corrects only comparisons, if there are any, and capabilities that the version lacks.
pub(super) fn correct_comparisons(
    mut words: Vec<u32>,
    settings: &OutputSettings,
    has_comparisons: bool,
) -> Result<Vec<u32>, SpirvError> {
    // Before SPIR-V 1.3 capabilities may be unavailable or need extensions.
    if settings.version < (1, 3) && has_special_capability(&words) {
        return correct(words, &SpecConstantPlan::default(), settings);
    }
    if has_comparisons {
        comparisons::correct(&mut words);
    }
    Ok(words)
}

/// Whether a module declares any capability other than `Shader`.
fn has_special_capability(words: &[u32]) -> bool {
    instructions(words)
        .take_while(|(_, number, _)| *number == Op::Capability as u32)
        .any(|(_, _, operands)| operands != [Capability::Shader as u32])
}

/// Subgroup operations need SPIR-V 1.3.
fn check_version(analysis: &ModuleAnalysis, version: (u8, u8)) -> Result<(), SpirvError> {
    if version < (1, 3) && analysis.has_subgroups() {
        let (what, needs) = ("a subgroup operation".to_owned(), "SPIR-V 1.3".to_owned());
        return Err(SpirvError::Unsupported { what, needs });
    }
    Ok(())
}
