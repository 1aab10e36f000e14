//! Implication between masks, derived from their definitions.

use smallvec::SmallVec;

use crate::ir::{MaskBinary, Op, Value};
use crate::pass::peephole::Rewriter;

/// The most masks that a query visits, so that the time is linear.
const MAX_MASKS: usize = 12;

/// The known supersets of a mask, itself first, and masks that are known to be disjoint from it.
fn around(
    rewriter: &Rewriter,
    mask: Value,
) -> (SmallVec<[Value; MAX_MASKS]>, SmallVec<[Value; 4]>) {
    let (mut inside, mut outside) = (SmallVec::new(), SmallVec::new());
    inside.push(mask);
    let mut next = 0;
    while next < inside.len() && inside.len() < MAX_MASKS {
        match rewriter.parts(inside[next]) {
            Some((Op::MaskBinary(MaskBinary::And), &[a, b])) => inside.extend([a, b]),
            Some((Op::MaskBinary(MaskBinary::AndNot), &[a, b])) => {
                inside.push(a);
                outside.push(b);
            }
            Some((Op::MaskedCompare(_), &[_, _, within])) => inside.push(within),
            _ => {}
        }
        next += 1;
    }
    (inside, outside)
}

/// Whether the first mask is known to be a subset of the second.
pub(super) fn implies(rewriter: &Rewriter, first: Value, second: Value) -> bool {
    let (inside, _) = around(rewriter, first);
    inside.contains(&second)
}

/// Whether two masks are known to be disjoint.
pub(super) fn excludes(rewriter: &Rewriter, first: Value, second: Value) -> bool {
    let (inside, outside) = around(rewriter, first);
    let (inside_second, outside_second) = around(rewriter, second);
    outside.iter().any(|mask| inside_second.contains(mask))
        || outside_second.iter().any(|mask| inside.contains(mask))
}
