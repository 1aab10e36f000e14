//! The parallel part of a dispatch: threads take chunks of workgroups from a shared counter (dynamic scheduling).
//!
//! The assignment of workgroups to threads is not deterministic, and no workgroup can observe it. The first failure
//! cancels the other threads; of the failures seen, the one with the lowest workgroup number is reported.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anywarp_execution::{Arguments, ExecutionError, Limits};
use rayon::ThreadPool;

use crate::dispatch_tracker::{RunningDispatch, ThreadProgress};
use crate::grid::Grid;
use crate::range::{FailedWorkgroup, run_range};
use crate::{DispatchError, Kernel, Runner};

/// The target time of a chunk: long enough that the shared counter costs nothing, short enough that threads end
/// together.
const CHUNK_TIME: Duration = Duration::from_micros(100);
/// The smallest number of chunks per thread, for grids with parts that differ in cost.
const CHUNKS_PER_THREAD: u64 = 8;

/// A range of workgroups that several threads run.
pub(crate) struct ParallelRange<'a> {
    arguments: &'a Arguments<'a>,
    grid: Grid,
    limits: &'a Limits<'a>,
    running: &'a RunningDispatch<'a>,
    next: AtomicU64,
    end: u64,
    failure: Mutex<Option<(u64, DispatchError)>>,
}

impl<'a> ParallelRange<'a> {
    pub(crate) fn new(
        arguments: &'a Arguments<'a>,
        grid: Grid,
        numbers: Range<u64>,
        limits: &'a Limits<'a>,
        running: &'a RunningDispatch<'a>,
    ) -> Self {
        Self {
            arguments,
            grid,
            limits,
            running,
            next: AtomicU64::new(numbers.start),
            end: numbers.end,
            failure: Mutex::new(None),
        }
    }

    /// Runs the workgroups on the helpers and on this thread.
    pub(crate) fn run(
        self,
        runner: &mut Runner<'_>,
        helpers: Option<&ThreadPool>,
        threads: usize,
    ) -> Result<(), DispatchError> {
        let kernel: &Kernel = runner.kernel();
        let chunk = self.chunk(threads as u64, kernel.pace());
        match helpers {
            None => self.take_chunks(runner, chunk, self.running.caller()),
            Some(pool) => pool.in_place_scope(|scope| {
                let this = &self;
                for number in 1..threads {
                    scope.spawn(move |_| this.help(kernel, chunk, number));
                }
                self.take_chunks(runner, chunk, self.running.caller());
            }),
        }
        match self.failure.into_inner() {
            Ok(Some((_, error))) => Err(error),
            Ok(None) => Ok(()),
            Err(_) => unreachable!("nothing panics while the lock is held"),
        }
    }

    /// The number of workgroups of a chunk; one if nothing is known about their cost.
    fn chunk(&self, threads: u64, pace: Option<Duration>) -> u64 {
        let rest = self.end - self.next.load(Ordering::Relaxed);
        let by_time = pace.map_or(1, |pace| CHUNK_TIME.as_nanos() / pace.as_nanos().max(1));
        u64::try_from(by_time)
            .unwrap_or(u64::MAX)
            .min(rest / (threads * CHUNKS_PER_THREAD))
            .max(1)
    }

    fn help(&self, kernel: &Kernel, chunk: u64, number: usize) {
        // A helper that wakes after the work is done must not pay for creating a runner.
        if self.next.load(Ordering::Relaxed) < self.end {
            let progress = self.running.helper(number);
            let _registration = progress.register();
            self.take_chunks(&mut Runner::new(kernel), chunk, progress);
        }
    }

    fn take_chunks(&self, runner: &mut Runner<'_>, chunk: u64, progress: &ThreadProgress) {
        let begin = Instant::now();
        let mut done = 0;
        loop {
            let start = self.next.fetch_add(chunk, Ordering::Relaxed);
            if start >= self.end {
                break;
            }
            let numbers = start..self.end.min(start + chunk);
            done += numbers.end - start;
            let (arguments, limits) = (self.arguments, self.limits);
            let ran = run_range(runner, arguments, &self.grid, numbers, limits, progress);
            if let Err(failed) = ran {
                return self.fail(failed);
            }
        }
        if done > 0 {
            runner.kernel().set_pace(begin.elapsed(), done);
        }
    }

    fn fail(&self, FailedWorkgroup { number, error }: FailedWorkgroup) {
        // Cancelled workgroups are a consequence of the failure, not the failure.
        let stopped = matches!(
            error,
            DispatchError::Execution(ExecutionError::Cancelled { .. })
        );
        if let (false, Ok(mut failure)) = (stopped, self.failure.lock())
            && failure
                .as_ref()
                .is_none_or(|(first, known)| (rank(&error), number) < (rank(known), *first))
        {
            *failure = Some((number, error));
        }
        if let Some(cancel) = self.limits.cancel {
            cancel.cancel();
        }
    }
}

/// The priority of errors in reports, lowest first: an endless loop before a workgroup that waited for it.
fn rank(error: &DispatchError) -> u32 {
    match error {
        DispatchError::Execution(ExecutionError::NoProgress { .. }) => 1,
        _ => 0,
    }
}
