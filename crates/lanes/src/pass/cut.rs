//! Taking parameters and blocks out of a function.

use crate::ir::{BlockId, Function, Terminator, Value};

/// Leaves only the parameters that are to stay, and what edges give to them.
pub(crate) fn parameters(function: &mut Function, stays: impl Fn(Value) -> bool) {
    let mut places = vec![Vec::new(); function.blocks.len()];
    for (block, places) in function.blocks.iter_mut().zip(&mut places) {
        if block.parameters.iter().all(|it| stays(*it)) {
            continue;
        }
        *places = block.parameters.iter().map(|it| stays(*it)).collect();
        block.parameters.retain(|it| stays(*it));
    }
    for block in &mut function.blocks {
        for edge in block.terminator.edges_mut() {
            let mut places = places[edge.block.index()].iter();
            edge.arguments.retain(|_| *places.next().unwrap_or(&true));
        }
    }
}

/// Leaves only the blocks that are to stay, the first among them, and gives them new numbers in their old order. No
/// block that stays may go to one that does not.
pub(crate) fn blocks(function: &mut Function, stays: &[bool]) {
    if stays.iter().all(|it| *it) {
        return;
    }
    let mut next = 0;
    let numbers: Vec<_> = stays
        .iter()
        .map(|&stays| {
            next += u32::from(stays);
            BlockId(next.wrapping_sub(1))
        })
        .collect();
    let mut stays = stays.iter();
    function.blocks.retain(|_| *stays.next().unwrap_or(&true));
    for block in &mut function.blocks {
        rename(&mut block.terminator, |it| numbers[it.index()]);
    }
}

/// Takes out the blocks that cannot be reached.
pub(crate) fn unreachable(function: &mut Function) {
    let mut is_reached = vec![false; function.blocks.len()];
    for block in function.order() {
        is_reached[block.index()] = true;
    }
    blocks(function, &is_reached);
}

/// Gives the blocks that a terminator names other names.
pub(crate) fn rename(terminator: &mut Terminator, name: impl Fn(BlockId) -> BlockId) {
    match terminator {
        Terminator::Suspend(_, block) => *block = name(*block),
        Terminator::Resume(blocks) => blocks.iter_mut().for_each(|it| *it = name(*it)),
        Terminator::Jump(_) | Terminator::Branch(..) | Terminator::Return(_) => {}
    }
    for edge in terminator.edges_mut() {
        edge.block = name(edge.block);
    }
}
