//! Barriers: every invocation of the workgroup arrives before any continues. Outside a dispatch
//! they do nothing.

use std::panic::Location;

use crate::group::{Group, GroupKind};

/// `workgroupBarrier`: waits for all invocations of the workgroup. Writes before it are visible
/// after it.
#[inline(always)]
#[track_caller]
pub fn workgroup_barrier() {
    let site = Location::caller();
    Group::with_current(|group| {
        require_workgroup(group);
        group.synchronize(site, |_| {});
    });
}

/// `storageBarrier`: the same as [`workgroup_barrier`], because memory is always coherent here.
#[inline(always)]
#[track_caller]
pub fn storage_barrier() {
    workgroup_barrier();
}

/// `textureBarrier`: the same as [`workgroup_barrier`], because memory is always coherent here.
#[inline(always)]
#[track_caller]
pub fn texture_barrier() {
    workgroup_barrier();
}

#[inline(always)]
#[track_caller]
fn require_workgroup(group: &Group) {
    assert!(
        group.kind == GroupKind::Workgroup,
        "a fragment has no workgroup, so it cannot wait at a workgroup barrier"
    );
}

/// Variables that [`workgroup_uniform_load`] can read.
pub trait UniformLoad {
    /// The type of the loaded value.
    type Value;

    /// Reads the variable.
    fn read(&self) -> Self::Value;

    /// Stores the current value as a snapshot for all invocations of the workgroup.
    #[doc(hidden)]
    fn snapshot(&self);

    /// Reads the snapshot.
    #[doc(hidden)]
    fn kept(&self) -> Self::Value;
}

/// `workgroupUniformLoad`: a barrier, a read and a barrier, so that the value is uniform.
///
/// One synchronization is enough: the last invocation to arrive reads for all.
#[inline(always)]
#[track_caller]
pub fn workgroup_uniform_load<V: UniformLoad>(variable: &V) -> V::Value {
    let site = Location::caller();
    let met = Group::with_current(|group| {
        require_workgroup(group);
        group.synchronize(site, |_| variable.snapshot());
    });
    match met {
        Some(()) => variable.kept(),
        None => variable.read(),
    }
}
