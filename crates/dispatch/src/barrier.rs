//! Barriers: every invocation of the workgroup comes before any goes on.
//!
//! Outside of a dispatch they do nothing.

use std::panic::Location;

use crate::group::{Group, Kind};

/// Waits for all invocations of the workgroup. What they wrote before is seen after.
#[inline(always)]
#[track_caller]
pub fn workgroup_barrier() {
    let site = Location::caller();
    Group::with_current(|group| {
        require_workgroup(group);
        group.meet(site, |_| {});
    });
}

/// [`workgroup_barrier`] for storage buffers: memory is always coherent here, only the waiting counts.
#[inline(always)]
#[track_caller]
pub fn storage_barrier() {
    workgroup_barrier();
}

/// [`workgroup_barrier`] for textures: memory is always coherent here, only the waiting counts.
#[inline(always)]
#[track_caller]
pub fn texture_barrier() {
    workgroup_barrier();
}

#[inline(always)]
#[track_caller]
fn require_workgroup(group: &Group) {
    assert!(
        group.kind == Kind::Workgroup,
        "a fragment has no workgroup, so it cannot wait at a workgroup barrier"
    );
}

/// What [`workgroup_uniform_load`] reads.
pub trait UniformLoad {
    /// What it gives.
    type Value;

    /// Reads it, now and here.
    fn read(&self) -> Self::Value;

    /// Keeps what was read for the other invocations of the workgroup.
    #[doc(hidden)]
    fn snapshot(&self);

    /// What was kept.
    #[doc(hidden)]
    fn kept(&self) -> Self::Value;
}

/// The same value for every invocation: a barrier, a read and a barrier.
///
/// One meeting is enough: the last invocation to come reads for all.
#[inline(always)]
#[track_caller]
pub fn workgroup_uniform_load<V: UniformLoad>(variable: &V) -> V::Value {
    let site = Location::caller();
    let met = Group::with_current(|group| {
        require_workgroup(group);
        group.meet(site, |_| variable.snapshot());
    });
    match met {
        Some(()) => variable.kept(),
        None => variable.read(),
    }
}
