//! Block parameters and the arguments of the edges that lead to them.

use std::collections::HashMap;

use crate::compile::ir::{Block, Cfg, Function, Terminator, Value};

/// For each parameter of a reachable block its arguments, one for each edge.
pub(super) fn arguments(function: &Function, cfg: &Cfg) -> HashMap<Value, Vec<Value>> {
    let mut arguments: HashMap<Value, Vec<Value>> = HashMap::new();
    for &block in &cfg.order {
        for edge in function.block(block).terminator.edges() {
            for (&param, &arg) in function.block(edge.block).params.iter().zip(&edge.args) {
                arguments.entry(param).or_default().push(arg);
            }
        }
    }
    arguments
}

/// Removes parameters and their arguments.
pub(super) fn retain_params(function: &mut Function, keep: impl Fn(Value) -> bool) {
    let kept: Vec<Option<Vec<bool>>> = (function.blocks.iter())
        .map(|block| {
            let kept: Vec<bool> = block.params.iter().map(|&param| keep(param)).collect();
            kept.contains(&false).then_some(kept)
        })
        .collect();
    for block in &mut function.blocks {
        for edge in block.terminator.edges_mut() {
            if let Some(kept) = &kept[edge.block.0 as usize] {
                let mut kept = kept.iter();
                edge.args.retain(|_| kept.next() == Some(&true));
            }
        }
        block.params.retain(|&param| keep(param));
    }
}

/// Empties the blocks that are never entered.
pub(super) fn clear_unreachable(function: &mut Function, cfg: &Cfg) -> bool {
    let mut has_changed = false;
    for block in function.block_ids() {
        if !cfg.is_reachable(block) {
            let data = function.block_mut(block);
            has_changed |= !data.insts.is_empty() || data.terminator != Terminator::Unreachable;
            data.insts.clear();
            data.params.clear();
            data.terminator = Terminator::Unreachable;
        }
    }
    has_changed
}

/// The block of each parameter and instruction.
pub(super) fn homes(function: &Function) -> Vec<Option<Block>> {
    let mut homes = vec![None; function.value_count()];
    for block in function.block_ids() {
        let data = function.block(block);
        for value in data.params.iter().chain(&data.insts) {
            homes[value.0 as usize] = Some(block);
        }
    }
    homes
}
