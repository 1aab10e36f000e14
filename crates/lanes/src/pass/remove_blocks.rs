//! Removes block parameters and blocks from a function.

use crate::ir::{BlockId, Function, Terminator, Value};

/// Retains only some block parameters, and their arguments on edges.
pub(crate) fn parameters(function: &mut Function, stays: impl Fn(Value) -> bool) {
    let mut places = vec![Vec::new(); function.blocks.len()];
    for (block, places) in function.blocks.iter_mut().zip(&mut places) {
        if block.parameters.iter().all(|parameter| stays(*parameter)) {
            continue;
        }
        *places = block
            .parameters
            .iter()
            .map(|parameter| stays(*parameter))
            .collect();
        block.parameters.retain(|parameter| stays(*parameter));
    }
    for block in &mut function.blocks {
        for edge in block.terminator.edges_mut() {
            let mut places = places[edge.block.index()].iter();
            edge.arguments.retain(|_| *places.next().unwrap_or(&true));
        }
    }
}

/// Retains only some blocks, which include the entry, and renumbers them in their old order. Retained blocks must not
/// have removed successors.
pub(crate) fn blocks(function: &mut Function, stays: &[bool]) {
    if stays.iter().all(|stays| *stays) {
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
        rename(&mut block.terminator, |block| numbers[block.index()]);
    }
}

/// Removes unreachable blocks.
pub(crate) fn unreachable(function: &mut Function) {
    let mut is_reached = vec![false; function.blocks.len()];
    for block in function.order() {
        is_reached[block.index()] = true;
    }
    blocks(function, &is_reached);
}

/// Maps the successors of a terminator.
pub(crate) fn rename(terminator: &mut Terminator, name: impl Fn(BlockId) -> BlockId) {
    match terminator {
        Terminator::Suspend(_, block) => *block = name(*block),
        Terminator::Resume(blocks) => blocks.iter_mut().for_each(|block| *block = name(*block)),
        Terminator::Jump(_) | Terminator::Branch(..) | Terminator::Return(_) => {}
    }
    for edge in terminator.edges_mut() {
        edge.block = name(edge.block);
    }
}
