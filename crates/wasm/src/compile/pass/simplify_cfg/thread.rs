//! Edges to empty blocks go to their targets.

use std::collections::HashMap;

use crate::compile::ir::{Block, Cfg, Dominators, Edge, Function, Terminator, Value};

/// Returns whether something has changed.
pub(super) fn run(function: &mut Function) -> bool {
    let cfg = Cfg::new(function);
    let dominators = Dominators::new(function, &cfg);
    let escaping = escaping_params(function, &cfg);
    let can_skip = |block: &Block| {
        let data = function.block(*block);
        let Terminator::Jump(edge) = &data.terminator else {
            return false;
        };
        let is_own_header =
            (cfg.predecessors(*block).iter()).any(|&before| dominators.dominates(*block, before));
        let enters_loop = (cfg.predecessors(edge.block).iter())
            .any(|&before| dominators.dominates(edge.block, before));
        data.insts.is_empty()
            && *block != Function::ENTRY
            && !is_own_header
            && !(enters_loop && cfg.predecessors(*block).len() > 1)
            && !data.params.iter().any(|param| escaping[param.0 as usize])
    };
    let empty: Vec<Block> = cfg.order.iter().copied().filter(can_skip).collect();
    // In postorder, so that the target of an empty block is final when edges to it are changed.
    let mut shortcuts: HashMap<Block, (Vec<Value>, Edge)> = HashMap::new();
    for &block in empty.iter().rev() {
        let data = function.block(block);
        if let Terminator::Jump(edge) = &data.terminator {
            let edge = shortcut(&shortcuts, edge).unwrap_or_else(|| edge.clone());
            shortcuts.insert(block, (data.params.clone(), edge));
        }
    }
    let mut has_changed = false;
    for &block in &cfg.order {
        for edge in function.block_mut(block).terminator.edges_mut() {
            if let Some(target) = shortcut(&shortcuts, edge) {
                *edge = target;
                has_changed = true;
            }
        }
    }
    has_changed
}

fn shortcut(shortcuts: &HashMap<Block, (Vec<Value>, Edge)>, edge: &Edge) -> Option<Edge> {
    let (params, target) = shortcuts.get(&edge.block)?;
    let replace = |arg: &Value| {
        let at = params.iter().position(|param| param == arg);
        at.map_or(*arg, |at| edge.args[at])
    };
    Some(Edge {
        block: target.block,
        args: target.args.iter().map(replace).collect(),
    })
}

/// The parameters that are used outside the jump of their own block.
fn escaping_params(function: &Function, cfg: &Cfg) -> Vec<bool> {
    let mut escaping = vec![false; function.value_count()];
    for &block in &cfg.order {
        let data = function.block(block);
        for &inst in &data.insts {
            let op = function.op(inst);
            op.for_each_operand(|operand| escaping[operand.0 as usize] = true);
        }
        data.terminator.for_each_operand(|operand| {
            let is_own_jump =
                matches!(data.terminator, Terminator::Jump(_)) && data.params.contains(&operand);
            if !is_own_jump {
                escaping[operand.0 as usize] = true;
            }
        });
    }
    escaping
}
