//! Promotion of small arrays: an array of a few words that lanes index differently is better a value for each element,
//! of which one is selected by comparisons, than memory with gathers and scatters.
//!
//! In: the local variables of an entry point that are in memory. Out: fewer of them. An array is promoted if it has at
//! most [`MAX_ELEMENTS`] words, is not passed to functions, and some index is varying: a uniform index is a row, which is
//! cheaper than a selection.

use naga::{Expression, Function, Handle, LocalVariable, TypeInner};

use crate::lower::Lowering;
use crate::lower::analysis::liveness::roots;
use crate::lower::analysis::uniformity::{Analysis, Role};
use crate::lower::error::Result;

/// The most words of an array that is promoted: a selection takes two instructions for each.
const MAX_ELEMENTS: u32 = 8;

/// The most index expressions of such an array, so that the code does not become large.
const MAX_INDICES: usize = 16;

/// The most operands that are visited in an index.
const MAX_VISITED: usize = 16;

impl<'a> Lowering<'a> {
    /// Promotes small arrays of an entry point with varying indices. `same` says which arguments are uniform.
    pub(in crate::lower) fn promote_small_arrays(
        &mut self,
        function: &'a Function,
        same: &[bool],
    ) -> Result {
        let mut in_memory = self.analyses.in_memory(function).to_vec();
        let escaping = self.plan.escaping(function);
        let mut is_candidate = vec![false; in_memory.len()];
        for (handle, local) in function.local_variables.iter() {
            let place = handle.index();
            is_candidate[place] = in_memory[place] && !escaping[place] && self.is_small(local);
        }
        if !is_candidate.contains(&true) {
            return Ok(());
        }
        self.work(function.expressions.len())?;
        let analysis = self.analyses.of(function, Role::Entry, same)?;
        let (roots, mut indices) = (roots(function), vec![(0, false); in_memory.len()]);
        for (_, expression) in function.expressions.iter() {
            if let Expression::Access { base, index } = *expression
                && let Some(root) = roots[base.index()]
            {
                let (count, is_varying) = &mut indices[root as usize];
                *count += 1;
                *is_varying |= is_varying_index(function, &analysis, same, index);
            }
        }
        for (place, (count, is_varying)) in indices.into_iter().enumerate() {
            if is_candidate[place] && is_varying && count <= MAX_INDICES {
                in_memory[place] = false;
            }
        }
        self.analyses.set_in_memory(function, in_memory.into());
        Ok(())
    }

    /// Whether a variable is an array of a few words.
    fn is_small(&self, local: &LocalVariable) -> bool {
        let TypeInner::Array {
            base,
            size: naga::ArraySize::Constant(count),
            ..
        } = self.module.types[local.ty].inner
        else {
            return false;
        };
        let is_word = match self.module.types[base].inner {
            TypeInner::Scalar(scalar) => scalar.width == 4,
            _ => false,
        };
        is_word && count.get() <= MAX_ELEMENTS
    }
}

/// Whether an index is computed from a variable or an argument that varies.
fn is_varying_index(
    function: &Function,
    analysis: &Analysis,
    same: &[bool],
    index: Handle<Expression>,
) -> bool {
    let mut open = vec![index];
    for _ in 0..MAX_VISITED {
        let Some(at) = open.pop() else {
            return false;
        };
        match function.expressions[at] {
            Expression::Binary { left, right, .. } => open.extend([left, right]),
            Expression::Unary { expr, .. } | Expression::As { expr, .. } => open.push(expr),
            Expression::Load { pointer } => open.push(pointer),
            Expression::LocalVariable(local) if analysis.is_varying(local.index()) => return true,
            Expression::FunctionArgument(argument) if !same[argument as usize] => return true,
            _ => {}
        }
    }
    false
}
