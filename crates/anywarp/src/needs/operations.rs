//! Collects the operations of a module that not every device supports, by their WGSL names.

use std::collections::BTreeSet;

use anywarp_program::naga::{
    Barrier, BuiltIn, CollectiveOperation as Collective, Expression, Function, GatherMode, Module,
    SampleLevel, Statement, SubgroupOperation, TypeInner,
};
use anywarp_program::walk;

/// The names, sorted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Operations {
    /// Subgroup and quad operations and their builtin values.
    pub(super) subgroup: BTreeSet<String>,
    /// Operations that sample a texture.
    pub(super) sampling: BTreeSet<String>,
}

impl Operations {
    /// The operations of a whole module, used or not: a device validates all of it.
    pub(super) fn of(module: &Module) -> Self {
        let mut found = Self::default();
        for (_, function) in module.functions.iter() {
            found.add_function(module, function);
        }
        for point in &module.entry_points {
            found.add_function(module, &point.function);
        }
        found
    }

    fn add_function(&mut self, module: &Module, function: &Function) {
        for argument in &function.arguments {
            let members = match &module.types[argument.ty].inner {
                TypeInner::Struct { members, .. } => members.as_slice(),
                _ => &[],
            };
            let members = members.iter().map(|member| &member.binding);
            for binding in members.chain([&argument.binding]) {
                if let Some(naga::Binding::BuiltIn(builtin)) = binding {
                    self.subgroup
                        .extend(builtin_value(*builtin).map(str::to_owned));
                }
            }
        }
        for (_, expression) in function.expressions.iter() {
            if let Expression::ImageSample {
                gather,
                level,
                depth_ref,
                ..
            } = expression
            {
                let name = sampling(gather.is_some(), *level, depth_ref.is_some());
                self.sampling.insert(name.to_owned());
            }
        }
        let operations = walk::statements(&function.body).filter_map(subgroup);
        self.subgroup.extend(operations.map(str::to_owned));
    }
}

fn builtin_value(builtin: BuiltIn) -> Option<&'static str> {
    match builtin {
        BuiltIn::NumSubgroups => Some("num_subgroups"),
        BuiltIn::SubgroupId => Some("subgroup_id"),
        BuiltIn::SubgroupSize => Some("subgroup_size"),
        BuiltIn::SubgroupInvocationId => Some("subgroup_invocation_id"),
        _ => None,
    }
}

fn subgroup(statement: &Statement) -> Option<&'static str> {
    Some(match statement {
        Statement::ControlBarrier(flags) | Statement::MemoryBarrier(flags)
            if flags.contains(Barrier::SUB_GROUP) =>
        {
            "subgroupBarrier"
        }
        Statement::SubgroupBallot { .. } => "subgroupBallot",
        Statement::SubgroupGather { mode, .. } => match mode {
            GatherMode::BroadcastFirst => "subgroupBroadcastFirst",
            GatherMode::Broadcast(_) => "subgroupBroadcast",
            GatherMode::Shuffle(_) => "subgroupShuffle",
            GatherMode::ShuffleDown(_) => "subgroupShuffleDown",
            GatherMode::ShuffleUp(_) => "subgroupShuffleUp",
            GatherMode::ShuffleXor(_) => "subgroupShuffleXor",
            GatherMode::QuadBroadcast(_) => "quadBroadcast",
            GatherMode::QuadSwap(naga::Direction::X) => "quadSwapX",
            GatherMode::QuadSwap(naga::Direction::Y) => "quadSwapY",
            GatherMode::QuadSwap(naga::Direction::Diagonal) => "quadSwapDiagonal",
        },
        Statement::SubgroupCollectiveOperation {
            op, collective_op, ..
        } => match (op, collective_op) {
            (SubgroupOperation::All, _) => "subgroupAll",
            (SubgroupOperation::Any, _) => "subgroupAny",
            (SubgroupOperation::Add, Collective::Reduce) => "subgroupAdd",
            (SubgroupOperation::Add, Collective::InclusiveScan) => "subgroupInclusiveAdd",
            (SubgroupOperation::Add, Collective::ExclusiveScan) => "subgroupExclusiveAdd",
            (SubgroupOperation::Mul, Collective::Reduce) => "subgroupMul",
            (SubgroupOperation::Mul, Collective::InclusiveScan) => "subgroupInclusiveMul",
            (SubgroupOperation::Mul, Collective::ExclusiveScan) => "subgroupExclusiveMul",
            (SubgroupOperation::Min, _) => "subgroupMin",
            (SubgroupOperation::Max, _) => "subgroupMax",
            (SubgroupOperation::And, _) => "subgroupAnd",
            (SubgroupOperation::Or, _) => "subgroupOr",
            (SubgroupOperation::Xor, _) => "subgroupXor",
        },
        _ => return None,
    })
}

fn sampling(gathers: bool, level: SampleLevel, compares: bool) -> &'static str {
    match (gathers, level, compares) {
        (true, _, false) => "textureGather",
        (true, _, true) => "textureGatherCompare",
        (_, SampleLevel::Auto, false) => "textureSample",
        (_, SampleLevel::Auto, true) => "textureSampleCompare",
        (_, SampleLevel::Zero | SampleLevel::Exact(_), true) => "textureSampleCompareLevel",
        (_, SampleLevel::Zero | SampleLevel::Exact(_), false) => "textureSampleLevel",
        (_, SampleLevel::Bias(_), _) => "textureSampleBias",
        (_, SampleLevel::Gradient { .. }, _) => "textureSampleGrad",
    }
}

#[cfg(test)]
mod tests {
    use anywarp_program::Program;

    use super::*;

    #[test]
    fn operations_are_found_wherever_they_stand() {
        let program = Program::from_wgsl(
            "enable subgroups;
            fn called() -> u32 { return subgroupShuffleXor(1u, 2u); }
            @compute @workgroup_size(4)
            fn main(@builtin(subgroup_size) size: u32) {
                var x = size;
                loop {
                    if x > 3u { x = subgroupInclusiveAdd(x); } else { x = quadSwapDiagonal(x); }
                    switch x { case 1u: { x = subgroupBallot(true).x; } default: { break; } }
                    if x > 5u { break; }
                    continuing { x = called(); }
                }
            }",
        )
        .unwrap();
        let found = Operations::of(program.module());
        let names: Vec<_> = found.subgroup.iter().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "quadSwapDiagonal",
                "subgroupBallot",
                "subgroupInclusiveAdd",
                "subgroupShuffleXor",
                "subgroup_size"
            ]
        );
        assert!(found.sampling.is_empty());
    }
}
