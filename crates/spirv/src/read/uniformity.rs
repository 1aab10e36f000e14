//! Disables WGSL's uniformity analysis where SPIR-V does not guarantee its rules.
//!
//! WGSL rejects derivatives and subgroup operations unless it can prove that control flow is uniform. A valid SPIR-V
//! module need not satisfy that proof, so the diagnostics are turned off in modules where they could apply.

use anywarp_program::naga::diagnostic_filter::{
    DiagnosticFilter, DiagnosticFilterNode, FilterableTriggeringRule, Severity,
    StandardFilterableTriggeringRule,
};
use anywarp_program::naga::{self, Span};
use rspirv::spirv::Op;

use crate::module::Module;

/// Turns off the diagnostic rules that a valid module may violate.
pub(super) fn allow(spirv: &Module<'_>, module: &mut naga::Module) {
    let branches = spirv.has(|op| matches!(op, Op::BranchConditional | Op::Switch));
    let derives = spirv.has(is_derivative);
    let shares = spirv.has(is_of_subgroups);
    let derivative = StandardFilterableTriggeringRule::DerivativeUniformity;
    let rules = [
        (
            derives && branches,
            FilterableTriggeringRule::Standard(derivative),
        ),
        (
            shares,
            FilterableTriggeringRule::Unknown("subgroup_uniformity".into()),
        ),
    ];
    for (_, triggering_rule) in rules.into_iter().filter(|(is_needed, _)| *is_needed) {
        let node = DiagnosticFilterNode {
            inner: DiagnosticFilter {
                new_severity: Severity::Off,
                triggering_rule,
            },
            parent: module.diagnostic_filter_leaf,
        };
        let leaf = module.diagnostic_filters.append(node, Span::UNDEFINED);
        module.diagnostic_filter_leaf = Some(leaf);
    }
    let leaf = module.diagnostic_filter_leaf;
    for (_, function) in module.functions.iter_mut() {
        function.diagnostic_filter_leaf = leaf;
    }
    for entry_point in &mut module.entry_points {
        entry_point.function.diagnostic_filter_leaf = leaf;
    }
}

fn is_derivative(op: Op) -> bool {
    let derivatives = Op::DPdx as u32..=Op::FwidthCoarse as u32;
    derivatives.contains(&(op as u32))
        || matches!(
            op,
            Op::ImageSampleImplicitLod
                | Op::ImageSampleDrefImplicitLod
                | Op::ImageSampleProjImplicitLod
                | Op::ImageSampleProjDrefImplicitLod
        )
}

fn is_of_subgroups(op: Op) -> bool {
    let grouped = Op::GroupNonUniformElect as u32..=Op::GroupNonUniformQuadSwap as u32;
    let ballots = Op::SubgroupBallotKHR as u32..=Op::SubgroupReadInvocationKHR as u32;
    let number = op as u32;
    grouped.contains(&number) || ballots.contains(&number) || op == Op::GroupNonUniformPartitionEXT
}
