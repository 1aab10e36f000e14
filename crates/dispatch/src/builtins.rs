//! What an invocation knows about itself.

use glam::{UVec3, Vec4};

use crate::group::{Group, Kind};

/// Builtin values of a compute invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ComputeBuiltins {
    /// Position in the whole grid.
    pub global_invocation_id: UVec3,
    /// Position in the workgroup.
    pub local_invocation_id: UVec3,
    /// Number in the workgroup: x first, then y, then z.
    pub local_invocation_index: u32,
    /// Position of the workgroup among the workgroups.
    pub workgroup_id: UVec3,
    /// Workgroups along x, y and z.
    pub num_workgroups: UVec3,
}

/// Builtin values of a fragment invocation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FragmentBuiltins {
    /// Position in the picture: pixel centres, so x and y end in one half; depth 0 and w 1.
    pub position: Vec4,
    /// Whether the fragment belongs to a front face. There are no faces here: always.
    pub front_facing: bool,
    /// The sample of the pixel: 0, because there is one sample a pixel.
    pub sample_index: u32,
    /// The covered samples of the pixel: the first.
    pub sample_mask: u32,
}

/// Where the current compute invocation stands.
#[track_caller]
fn current(what: &str) -> ComputeBuiltins {
    let builtins = Group::with_current(|group| group.compute_builtins()).flatten();
    builtins.unwrap_or_else(|| panic!("{what} is known only inside of a compute dispatch"))
}

/// `global_invocation_id` of the invocation that calls.
///
/// # Panics
///
/// Outside of a compute dispatch.
#[track_caller]
pub fn global_invocation_id() -> UVec3 {
    current("global_invocation_id").global_invocation_id
}

/// `local_invocation_id` of the invocation that calls.
///
/// # Panics
///
/// Outside of a compute dispatch.
#[track_caller]
pub fn local_invocation_id() -> UVec3 {
    current("local_invocation_id").local_invocation_id
}

/// `local_invocation_index` of the invocation that calls.
///
/// # Panics
///
/// Outside of a compute dispatch.
#[track_caller]
pub fn local_invocation_index() -> u32 {
    current("local_invocation_index").local_invocation_index
}

/// `workgroup_id` of the invocation that calls.
///
/// # Panics
///
/// Outside of a compute dispatch.
#[track_caller]
pub fn workgroup_id() -> UVec3 {
    current("workgroup_id").workgroup_id
}

/// `num_workgroups` of the dispatch that calls.
///
/// # Panics
///
/// Outside of a compute dispatch.
#[track_caller]
pub fn num_workgroups() -> UVec3 {
    current("num_workgroups").num_workgroups
}

/// Whether the fragment that calls only helps its neighbours: it lies outside of the picture or has
/// been discarded. `false` outside of a fragment dispatch.
pub fn is_helper() -> bool {
    Group::with_current(|group| group.kind == Kind::Quad && group.is_helper()).unwrap_or(false)
}
