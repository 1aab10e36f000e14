//! The parallel part of a dispatch: threads take chunks of workgroups off one counter.
//!
//! Which thread runs which workgroup is a matter of chance; no workgroup can tell. The first failure
//! stops the others, wherever they are, and of the failures seen the one with the lowest workgroup number is
//! reported.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anywarp_interpret::{Arguments, Fault, Limits};
use rayon::ThreadPool;

use crate::grid::Grid;
use crate::range::{Failed, run_range};
use crate::{DispatchError, Kernel, Runner};

/// A chunk should take about this long: long enough that the shared counter costs nothing, short
/// enough that threads end together.
const CHUNK_TIME: Duration = Duration::from_micros(100);
/// Chunks per thread at least, for grids whose parts differ in cost.
const CHUNKS_PER_THREAD: u64 = 8;

/// Workgroups that several threads share.
pub(crate) struct Split<'a> {
    arguments: &'a Arguments<'a>,
    grid: Grid,
    limits: &'a Limits<'a>,
    next: AtomicU64,
    end: u64,
    failure: Mutex<Option<(u64, DispatchError)>>,
}

impl<'a> Split<'a> {
    pub(crate) fn new(
        arguments: &'a Arguments<'a>,
        grid: Grid,
        numbers: Range<u64>,
        limits: &'a Limits<'a>,
    ) -> Self {
        Self {
            arguments,
            grid,
            limits,
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
            None => self.take_chunks(runner, chunk),
            Some(pool) => pool.in_place_scope(|scope| {
                for _ in 1..threads {
                    scope.spawn(|_| self.help(kernel, chunk));
                }
                self.take_chunks(runner, chunk);
            }),
        }
        match self.failure.into_inner() {
            Ok(Some((_, error))) => Err(error),
            Ok(None) => Ok(()),
            Err(_) => unreachable!("nothing panics while the lock is held"),
        }
    }

    /// Workgroups to take at once; one where nothing is known about their cost.
    fn chunk(&self, threads: u64, pace: Option<Duration>) -> u64 {
        let rest = self.end - self.next.load(Ordering::Relaxed);
        let by_time = pace.map_or(1, |pace| CHUNK_TIME.as_nanos() / pace.as_nanos().max(1));
        u64::try_from(by_time)
            .unwrap_or(u64::MAX)
            .min(rest / (threads * CHUNKS_PER_THREAD))
            .max(1)
    }

    fn help(&self, kernel: &Kernel, chunk: u64) {
        // A helper that wakes after the work is done must not pay for a runner.
        if self.next.load(Ordering::Relaxed) < self.end {
            self.take_chunks(&mut Runner::new(kernel), chunk);
        }
    }

    fn take_chunks(&self, runner: &mut Runner<'_>, chunk: u64) {
        let begin = Instant::now();
        let mut done = 0;
        loop {
            let start = self.next.fetch_add(chunk, Ordering::Relaxed);
            if start >= self.end {
                break;
            }
            let numbers = start..self.end.min(start + chunk);
            done += numbers.end - start;
            if let Err(failed) = run_range(runner, self.arguments, &self.grid, numbers, self.limits)
            {
                return self.fail(failed);
            }
        }
        if done > 0 {
            runner.kernel().set_pace(begin.elapsed(), done);
        }
    }

    fn fail(&self, Failed { number, error }: Failed) {
        // Stopped workgroups are a consequence of the failure, not the failure.
        let stopped = matches!(error, DispatchError::Fault(Fault::Cancelled { .. }));
        if let (false, Ok(mut failure)) = (stopped, self.failure.lock())
            && failure.as_ref().is_none_or(|(first, _)| number < *first)
        {
            *failure = Some((number, error));
        }
        if let Some(cancel) = self.limits.cancel {
            cancel.stop();
        }
    }
}
