//! Builtin values of the current invocation.

use glam::{UVec3, Vec4};

use crate::group::{Group, GroupKind};

/// Builtin values of a compute invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComputeBuiltins {
    /// Position of the invocation in the whole grid.
    pub global_invocation_id: UVec3,
    /// Position of the invocation in its workgroup.
    pub local_invocation_id: UVec3,
    /// Index of the invocation in its workgroup: x first, then y, then z.
    pub local_invocation_index: u32,
    /// Position of the workgroup in the grid of workgroups.
    pub workgroup_id: UVec3,
    /// Number of workgroups along x, y and z.
    pub num_workgroups: UVec3,
}

/// Builtin values of a fragment invocation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FragmentBuiltins {
    /// Position in the framebuffer: pixel centres, so x and y end in one half; depth 0 and w 1.
    pub position: Vec4,
    /// Whether the fragment belongs to a front face. There are no faces here, so it is always true.
    pub front_facing: bool,
    /// The sample index: 0, because there is one sample per pixel.
    pub sample_index: u32,
    /// The mask of covered samples: the first sample.
    pub sample_mask: u32,
}

/// All builtin values of the current invocation; `None` outside a compute dispatch.
///
/// ```
/// use anywarp_dispatch::{compute_builtins, dispatch_workgroups};
///
/// assert_eq!(compute_builtins(), None);
/// dispatch_workgroups((2, 1, 1), (4, 1, 1), |builtins| {
///     assert_eq!(compute_builtins(), Some(builtins));
/// });
/// ```
pub fn compute_builtins() -> Option<ComputeBuiltins> {
    Group::with_current(Group::compute_builtins).flatten()
}

/// The builtin values of the current invocation, or a panic that names `what`.
#[track_caller]
fn current(what: &str) -> ComputeBuiltins {
    compute_builtins().unwrap_or_else(|| unknown(what))
}

#[cold]
#[track_caller]
fn unknown(what: &str) -> ! {
    panic!("{what} is known only inside of a compute dispatch")
}

/// `global_invocation_id` of the current invocation.
///
/// # Panics
///
/// Outside a compute dispatch.
#[track_caller]
pub fn global_invocation_id() -> UVec3 {
    current("global_invocation_id").global_invocation_id
}

/// `local_invocation_id` of the current invocation.
///
/// # Panics
///
/// Outside a compute dispatch.
#[track_caller]
pub fn local_invocation_id() -> UVec3 {
    current("local_invocation_id").local_invocation_id
}

/// `local_invocation_index` of the current invocation.
///
/// # Panics
///
/// Outside a compute dispatch.
#[track_caller]
pub fn local_invocation_index() -> u32 {
    current("local_invocation_index").local_invocation_index
}

/// `workgroup_id` of the current invocation.
///
/// # Panics
///
/// Outside a compute dispatch.
#[track_caller]
pub fn workgroup_id() -> UVec3 {
    current("workgroup_id").workgroup_id
}

/// `num_workgroups` of the current dispatch.
///
/// # Panics
///
/// Outside a compute dispatch.
#[track_caller]
pub fn num_workgroups() -> UVec3 {
    current("num_workgroups").num_workgroups
}

/// Workgroup size of the current dispatch along x, y and z.
///
/// # Panics
///
/// Outside a compute dispatch.
#[track_caller]
pub fn workgroup_size() -> UVec3 {
    let size = Group::with_current(Group::workgroup_size).flatten();
    size.unwrap_or_else(|| unknown("workgroup_size"))
}

/// Calls `f` as if no dispatch were running on this thread: inside it barriers do nothing,
/// derivatives are zero, builtin values are unknown, and a dispatch is not a nested one.
///
/// For code that an invocation calls but that is not part of its kernel.
pub fn outside_of_dispatch<R>(f: impl FnOnce() -> R) -> R {
    let _hidden = Group::hide();
    f()
}

/// Whether the current fragment is a helper invocation: it lies outside the image or has been
/// discarded. `false` outside a fragment dispatch.
pub fn is_helper() -> bool {
    Group::with_current(|group| group.kind == GroupKind::Quad && group.is_helper()).unwrap_or(false)
}
