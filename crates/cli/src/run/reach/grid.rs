//! The grid of a dispatch, and the largest values of the builtins that give an invocation's position in it.

use anywarp_program::naga::BuiltIn;

/// Workgroups, and invocations of each.
pub(super) struct Grid {
    pub(super) workgroups: [u64; 3],
    pub(super) size: [u64; 3],
}

impl Grid {
    /// The largest value of a component of a builtin; `None` in an empty grid.
    pub(super) fn most(&self, builtin: BuiltIn, component: usize) -> Option<u64> {
        let count = *self.workgroups.get(component)?;
        let size = *self.size.get(component)?;
        let whole = self
            .size
            .iter()
            .fold(1, |all: u64, it| all.saturating_mul(*it));
        match builtin {
            BuiltIn::GlobalInvocationId => (count * size).checked_sub(1),
            BuiltIn::WorkGroupId => count.checked_sub(1),
            BuiltIn::LocalInvocationId => size.checked_sub(1),
            BuiltIn::LocalInvocationIndex if component == 0 => whole.checked_sub(1),
            BuiltIn::NumWorkGroups => Some(count),
            _ => None,
        }
    }
}
