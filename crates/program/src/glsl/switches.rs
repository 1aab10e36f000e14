//! Switches in the form that naga's SPIR-V writer translates correctly.
//!
//! In: a module as naga's GLSL front end makes it. Out: the same program. The writer does not count cases that are empty
//! and fall through when it looks for the case after a falling one, so a falling case after such an empty one would
//! continue in the wrong place. An empty nested block makes the empty case count. What always holds: a switch in which no
//! case with a body falls through is not touched, so that its values stay together in one case.

use naga::{Block, Module, Span, Statement, SwitchCase};

use crate::operands;

/// Makes every case count that comes before a case which has a body and falls through.
pub(super) fn count_empty_cases(module: &mut Module) {
    let functions = module.functions.iter_mut().map(|(_, it)| it);
    let entry_points = module.entry_points.iter_mut().map(|it| &mut it.function);
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
