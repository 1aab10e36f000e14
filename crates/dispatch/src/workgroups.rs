//! Compute dispatches: the grid of workgroups, and the iteration over the invocations of each.

use std::cell::Cell;
use std::panic::{Location, resume_unwind};
use std::sync::OnceLock;

use glam::UVec3;

use crate::builtins::ComputeBuiltins;
use crate::error::DispatchError;
use crate::group::{Group, GroupKind, GroupShape};
use crate::options::DispatchOptions;
use crate::scheduler::GroupSource;
use crate::thread_pool::{QueueShare, run_on_threads};

/// The maximum number of invocations of a workgroup.
const MAX_WORKGROUP_SIZE: u64 = 1024;

/// Runs `shader_fn` for every invocation of every workgroup, as `dispatchWorkgroups` does.
///
/// If an invocation panics, so does this function; see [`DispatchOptions::workgroups`] for a
/// `Result`.
///
/// # Panics
///
/// On every [`DispatchError`].
#[track_caller]
pub fn dispatch_workgroups<F>(
    workgroup_count: (u32, u32, u32),
    workgroup_size: (u32, u32, u32),
    shader_fn: F,
) where
    F: Fn(ComputeBuiltins) + Send + Sync,
{
    let result = DispatchOptions::default().workgroups(workgroup_count, workgroup_size, shader_fn);
    result.unwrap_or_else(|error| throw(error));
}

/// Resumes the panic of an invocation, or panics with the error message.
#[track_caller]
pub(crate) fn throw(error: DispatchError) -> ! {
    match error {
        DispatchError::Panicked { panic, .. } => resume_unwind(panic.into_payload()),
        error => panic!("{error}"),
    }
}

impl DispatchOptions {
    /// Runs `shader_fn` for every invocation of every workgroup. Without workgroups, or with
    /// workgroups of no invocations, it does nothing.
    #[track_caller]
    pub fn workgroups<F>(
        &self,
        workgroup_count: (u32, u32, u32),
        workgroup_size: (u32, u32, u32),
        shader_fn: F,
    ) -> Result<(), DispatchError>
    where
        F: Fn(ComputeBuiltins) + Send + Sync,
    {
        let (count, size) = (UVec3::from(workgroup_count), UVec3::from(workgroup_size));
        let total = check(count, size)?;
        let shape = GroupShape {
            kind: GroupKind::Workgroup,
            size,
            count,
            dispatched_at: Location::caller(),
        };
        self.spread_workgroups(shape, total, &shader_fn)
    }

    fn spread_workgroups<F>(
        &self,
        shape: GroupShape,
        total: u64,
        shader_fn: &F,
    ) -> Result<(), DispatchError>
    where
        F: Fn(ComputeBuiltins) + Send + Sync,
    {
        let queue = OnceLock::new();
        let (total, first) = match self.only {
            None => (total, UVec3::ZERO),
            Some(_) if total == 0 => return Ok(()),
            Some(invocation) => {
                let workgroup = invocation / shape.size;
                if workgroup.cmpge(shape.count).any() {
                    return Ok(());
                }
                (1, workgroup)
            }
        };
        let source = |share| Workgroups {
            share,
            count: shape.count,
            size: shape.size,
            first,
            last: Cell::new((0, UVec3::ZERO)),
            shader_fn,
        };
        run_on_threads(shape, total, self, source, &queue)
    }
}

/// The number of workgroups; an error if the grid or an id overflows.
fn check(count: UVec3, size: UVec3) -> Result<u64, DispatchError> {
    let product = |v: UVec3| v.to_array().into_iter().map(u128::from).product::<u128>();
    let too_large = |what, size: String| DispatchError::TooLarge { what, size };
    if product(count) == 0 || product(size) == 0 {
        return Ok(0);
    }
    if product(size) > u128::from(MAX_WORKGROUP_SIZE) {
        let text = format!("{size}, but {MAX_WORKGROUP_SIZE} invocations is the limit");
        return Err(too_large("the workgroup size", text));
    }
    let fits = |(count, size): (u32, u32)| count.checked_mul(size).is_some();
    if !count.to_array().into_iter().zip(size.to_array()).all(fits) {
        let text = format!("{count} workgroups of {size}, but ids have 32 bits");
        return Err(too_large("the grid", text));
    }
    u64::try_from(product(count)).map_err(|_| {
        let text = format!("{count}, but 2^64 workgroups is the limit");
        too_large("the workgroup count", text)
    })
}

/// The workgroups that one thread runs.
struct Workgroups<'s, F> {
    share: QueueShare<'s>,
    count: UVec3,
    size: UVec3,
    /// The id of workgroup number 0 if only one workgroup is to run, else zero.
    first: UVec3,
    /// The previous invocation and its local id, from which the next local id is computed
    /// incrementally.
    last: Cell<(u32, UVec3)>,
    shader_fn: &'s F,
}

impl<F: Fn(ComputeBuiltins)> GroupSource for Workgroups<'_, F> {
    #[inline]
    fn next_group(&self, group: &Group) -> bool {
        let Some(number) = self.share.next() else {
            return false;
        };
        let (x, y) = (u64::from(self.count.x), u64::from(self.count.y));
        let id = [number % x, number / x % y, number / (x * y)];
        group.begin(self.first + UVec3::from_array(id.map(|coordinate| coordinate as u32)));
        true
    }

    #[inline(always)]
    fn run(&self, group: &Group, member: u32) {
        let (before, mut local) = self.last.get();
        if member == before + 1 {
            local.x += 1;
            if local.x == self.size.x {
                local.x = 0;
                local.y += 1;
                if local.y == self.size.y {
                    local.y = 0;
                    local.z += 1;
                }
            }
        } else {
            local = group.local_id(member);
        }
        self.last.set((member, local));
        (self.shader_fn)(group.builtins_at(member, local));
    }
}
