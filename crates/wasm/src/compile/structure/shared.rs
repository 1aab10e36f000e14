//! Copies that all ways back of a loop have in common.
//!
//! Such a variable, usually the counter, is set in one place at the end of the loop, so it stays equal in all
//! invocations that differ only in their way through the loop.

use super::Placement;
use crate::compile::ir::{Function, Value};

/// For each header the sorted copies that all ways back have in common.
pub(super) fn shared_copies(
    function: &Function,
    placement: &Placement,
) -> Vec<Vec<(Value, Value)>> {
    let mut shared: Vec<Option<Vec<(Value, Value)>>> = vec![None; function.blocks.len()];
    for block in function.block_ids() {
        for edge in function.block(block).terminator.edges() {
            let header = edge.block;
            if !(placement.nest.is_header(header) && placement.nest.contains(header, block)) {
                continue;
            }
            let params = function.block(header).params.iter().copied();
            let pairs = params.zip(edge.args.iter().copied());
            let mut pairs: Vec<_> = pairs.filter(|(param, arg)| param != arg).collect();
            pairs.sort_unstable();
            match &mut shared[header.0 as usize] {
                Some(known) => known.retain(|pair| pairs.binary_search(pair).is_ok()),
                none @ None => *none = Some(pairs),
            }
        }
    }
    shared.into_iter().map(Option::unwrap_or_default).collect()
}
