//! Runs a contiguous range of workgroups on one thread.
//!
//! In: a runner, the bindings, and a range of workgroup numbers. Out: memory as the workgroups have written it, or the
//! first workgroup that failed. A panic of the engine becomes an error.

use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use anywarp_execution::{Arguments, Limits};
use anywarp_program::panic_message;

use crate::dispatch_tracker::ThreadProgress;
use crate::grid::Grid;
use crate::{DispatchError, Runner};

/// A failed workgroup: its number and its error.
pub(crate) struct FailedWorkgroup {
    pub(crate) number: u64,
    pub(crate) error: DispatchError,
}

impl From<FailedWorkgroup> for DispatchError {
    fn from(failed: FailedWorkgroup) -> Self {
        failed.error
    }
}

/// Runs a range of workgroups until a time limit cancels it. `progress` is the calling thread's: it counts each
/// workgroup when the next one is requested.
pub(crate) fn run_range(
    runner: &mut Runner<'_>,
    arguments: &Arguments<'_>,
    grid: &Grid,
    numbers: Range<u64>,
    limits: &Limits<'_>,
    progress: &ThreadProgress,
) -> Result<(), FailedWorkgroup> {
    let (first, end, finished) = (numbers.start, numbers.end, progress.finished());
    let number = Cell::new(first);
    let ids = grid.ids(numbers).map(|(next, id)| {
        number.set(next);
        progress.set_finished(finished + (next - first));
        id
    });
    let kernel = runner.kernel();
    // Unwind safety: after a panic the runner is not used again, and buffers are atomic words.
    let outcome = catch_unwind(AssertUnwindSafe(|| runner.run(arguments, ids, limits)));
    let number = number.get();
    let error = match outcome {
        Ok(Ok(())) => {
            progress.set_finished(finished + (end - first));
            return Ok(());
        }
        Ok(Err(error)) => error,
        Err(payload) => DispatchError::Internal {
            entry_point: kernel.name().to_owned(),
            workgroup: grid.id(number),
            message: panic_message(payload.as_ref()),
        },
    };
    Err(FailedWorkgroup { number, error })
}
