//! Works around a bug of naga's SPIR-V writer in `switch` fallthrough.
//!
//! In: a module from naga's GLSL front end. Out: an equivalent module. The writer skips empty fallthrough cases when it
//! looks for the case after a case that falls through, so a case that falls through after an empty one would continue
//! in the wrong case. A nested empty block makes the empty case non-empty. What always holds: a switch in which no
//! non-empty case falls through is unchanged, so its selectors stay together in one case.

use naga::{Block, Module, Span, Statement, SwitchCase};

use crate::operands;

/// Adds an empty block to each empty case before a non-empty case that falls through.
pub(super) fn count_empty_cases(module: &mut Module) {
    let functions = module.functions.iter_mut().map(|(_, function)| function);
    let entry_points = module
        .entry_points
        .iter_mut()
        .map(|entry_point| &mut entry_point.function);
    for function in functions.chain(entry_points) {
        of_block(&mut function.body);
    }
}

fn of_block(block: &mut Block) {
    for statement in block.iter_mut() {
        for inner in operands::blocks_of_mut(statement) {
            of_block(inner);
        }
        if let Statement::Switch { cases, .. } = statement {
            of_cases(cases);
        }
    }
}

fn of_cases(cases: &mut [SwitchCase]) {
    let falls = |case: &SwitchCase| case.fall_through && !case.body.is_empty();
    let last = cases.iter().rposition(falls).unwrap_or(0);
    for case in &mut cases[..last] {
        if case.fall_through && case.body.is_empty() {
            let nothing = Statement::Block(Block::new());
            case.body.push(nothing, Span::UNDEFINED);
        }
    }
}
