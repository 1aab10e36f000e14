//! Runs a kernel over a grid, on several threads if the work is worth it.
//!
//! In: a runner, arguments and a grid. Out: memory as the kernel has written it, or the error of a workgroup. Waking a
//! thread takes longer than a small dispatch. So a dispatch that is estimated to be short, from the time per workgroup
//! of the last one, begins on the caller's thread alone. If it takes longer, the rest is run in parallel.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use anywarp_execution::{
    Arguments, CancelFlag, ExecutionError, Limits, Random, Schedule, Shuffle, SpuriousFailures,
};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::bindings::check_sizes;
use crate::dispatch_tracker::{DispatchTracker, Progress, RunningDispatch, TimeLimits};
use crate::grid::Grid;
use crate::parallel::ParallelRange;
use crate::range::run_range;
use crate::{DispatchError, Kernel, Runner};

/// Work that is estimated to take less than this runs on one thread: waking another takes about as long.
const WORTH_WAKING: Duration = Duration::from_micros(50);
/// A kernel without a measured time runs in parallel from this number of invocations on. Waking threads in vain costs
/// little, and once; one long workgroup on one thread can cost much.
const LIGHT_INVOCATIONS: u64 = 256;

/// The largest number of threads: more than any machine has cores, so that a typing error does not start a million.
const MAX_THREADS: usize = 1024;

/// Options of an executor.
#[derive(Clone, Debug)]
pub struct ExecutorOptions {
    /// The number of threads that run workgroups, the caller's included. By default the number of cores; at most 1024.
    pub threads: Option<NonZeroUsize>,
    /// A dispatch counts as endless if no workgroup of it has finished for this long. The unit is CPU time where
    /// threads have clocks (Linux, Android); elsewhere it is wall-clock time, measured so that a busy machine matters
    /// little. Ten seconds by default.
    pub watchdog: Option<Duration>,
    /// The time limit of one dispatch, all its workgroups together, in the same unit: the time of the busiest thread.
    /// No limit by default. A dispatch is ended at the first poll after the limit; one whose last workgroup finishes
    /// before that poll has succeeded.
    pub dispatch_limit: Option<Duration>,
    /// The limit on loop iterations of one workgroup, all its invocations together.
    pub workgroup_iterations: Option<u64>,
    /// The order of workgroups, and of invocations between barriers. With a random order every kernel is interpreted,
    /// on one thread; each dispatch of an executor then has an order of its own.
    pub schedule: Schedule,
}

impl Default for ExecutorOptions {
    fn default() -> Self {
        Self {
            threads: None,
            watchdog: Some(Duration::from_secs(10)),
            dispatch_limit: None,
            workgroup_iterations: None,
            schedule: Schedule::InOrder,
        }
    }
}

/// The thread pool of a device, and the limits on its dispatches.
#[derive(Debug)]
pub struct Executor {
    threads: usize,
    iterations: u64,
    schedule: Schedule,
    /// The number of dispatches with a random schedule.
    shuffled_dispatches: AtomicU64,
    tracker: Arc<DispatchTracker>,
    /// The worker threads besides the caller's; started for the first dispatch that is worth it.
    helpers: OnceLock<Option<ThreadPool>>,
}

impl Executor {
    /// Creates an executor. It starts no thread yet.
    pub fn new(options: &ExecutorOptions) -> Self {
        let available = || std::thread::available_parallelism().ok();
        let threads = options.threads.or_else(available);
        let threads = threads.map_or(1, NonZeroUsize::get).min(MAX_THREADS);
        let limits = TimeLimits {
            progress: options.watchdog,
            total: options.dispatch_limit,
        };
        Self {
            threads,
            iterations: options.workgroup_iterations.unwrap_or(u64::MAX),
            schedule: options.schedule,
            shuffled_dispatches: AtomicU64::new(0),
            tracker: Arc::new(DispatchTracker::new(limits, threads)),
            helpers: OnceLock::new(),
        }
    }

    /// The number of threads that run workgroups, the caller's included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// A monitor of the progress of this executor's dispatches.
    pub fn monitor(&self) -> Monitor {
        Monitor(Arc::clone(&self.tracker))
    }

    /// Runs every workgroup of the grid [`Arguments::workgroup_count`].
    ///
    /// If several workgroups fail, the error is that of the lowest number among the failures seen. After an error the
    /// runner must not be used again.
    pub fn dispatch(
        &self,
        runner: &mut Runner<'_>,
        arguments: &Arguments<'_>,
    ) -> Result<(), DispatchError> {
        let count = arguments.workgroup_count;
        let grid = Grid::new(count).ok_or(DispatchError::GridTooLarge(count))?;
        check_sizes(runner.kernel().resources(), arguments)?;
        // Before the watchdog counts: translation for the interpreter is not work of the dispatch.
        runner.prepare(arguments, &self.limits(None, None))?;
        let running = self.tracker.begin(grid.total());
        let _registration = running.caller().register();
        let result = match self.schedule {
            Schedule::InOrder => self.run_all(runner, arguments, grid, &running),
            Schedule::Random(_) => self.run_shuffled(runner, arguments, grid, &running),
        };
        result.map_err(|error| match error {
            DispatchError::Execution(ExecutionError::OutOfTime {
                entry_point, limit, ..
            }) => DispatchError::TooMuchWork {
                entry_point,
                limit,
                finished: running.finished(),
                total: grid.total(),
            },
            other => other,
        })
    }

    fn run_all(
        &self,
        runner: &mut Runner<'_>,
        arguments: &Arguments<'_>,
        grid: Grid,
        running: &RunningDispatch<'_>,
    ) -> Result<(), DispatchError> {
        let limits = self.limits(Some(running.cancel()), None);
        if grid.total() <= 1 || self.threads == 1 {
            let (all, caller) = (0..grid.total(), running.caller());
            return Ok(run_range(runner, arguments, &grid, all, &limits, caller)?);
        }
        let done = match self.estimate(runner.kernel(), grid.total()) {
            Estimate::Light => run_while_light(runner, arguments, &grid, &limits, running)?,
            Estimate::Heavy => 0,
        };
        if done == grid.total() {
            return Ok(());
        }
        let rest = ParallelRange::new(arguments, grid, done..grid.total(), &limits, running);
        rest.run(runner, self.helpers(), self.threads)
    }

    /// Runs every workgroup on this thread, in a random order.
    fn run_shuffled(
        &self,
        runner: &mut Runner<'_>,
        arguments: &Arguments<'_>,
        grid: Grid,
        running: &RunningDispatch<'_>,
    ) -> Result<(), DispatchError> {
        let dispatch = self.shuffled_dispatches.fetch_add(1, Ordering::Relaxed);
        let schedule = self.schedule.part(dispatch);
        let limits = Limits {
            schedule,
            ..self.limits(Some(running.cancel()), None)
        };
        let Schedule::Random(seed) = schedule else {
            return self.run_all(runner, arguments, grid, running);
        };
        let order = Shuffle::new(grid.total(), &mut Random::new(seed));
        for position in 0..grid.total() {
            let number = order.at(position);
            let numbers = number..number + 1;
            run_range(runner, arguments, &grid, numbers, &limits, running.caller())?;
        }
        Ok(())
    }

    /// Runs one workgroup, by its number in the grid [`Arguments::workgroup_count`], on this thread.
    ///
    /// For callers that choose the order of workgroups themselves, and may interleave those of several dispatches. Each
    /// workgroup has the time limit of a whole dispatch. After an error the runner must not be used again.
    ///
    /// # Panics
    ///
    /// If the grid has no workgroup of that number.
    pub fn run_workgroup(
        &self,
        runner: &mut Runner<'_>,
        arguments: &Arguments<'_>,
        number: u64,
        spurious_failures: Option<&SpuriousFailures>,
    ) -> Result<(), DispatchError> {
        let count = arguments.workgroup_count;
        let grid = Grid::new(count).ok_or(DispatchError::GridTooLarge(count))?;
        check_sizes(runner.kernel().resources(), arguments)?;
        assert!(number < grid.total(), "{number} is outside of {count:?}");
        runner.prepare(arguments, &self.limits(None, spurious_failures))?;
        let running = self.tracker.begin(1);
        let _registration = running.caller().register();
        let limits = self.limits(Some(running.cancel()), spurious_failures);
        let (numbers, caller) = (number..number + 1, running.caller());
        Ok(run_range(
            runner, arguments, &grid, numbers, &limits, caller,
        )?)
    }

    fn limits<'a>(
        &self,
        cancel: Option<&'a CancelFlag>,
        spurious_failures: Option<&'a SpuriousFailures>,
    ) -> Limits<'a> {
        Limits {
            iterations: self.iterations,
            cancel,
            spurious_failures,
            schedule: self.schedule,
        }
    }

    fn estimate(&self, kernel: &Kernel, workgroups: u64) -> Estimate {
        let light = match kernel.pace() {
            Some(pace) => is_light(pace, workgroups),
            None => {
                let size: u64 = kernel.workgroup_size().into_iter().map(u64::from).product();
                size.saturating_mul(workgroups) < LIGHT_INVOCATIONS
            }
        };
        if light {
            Estimate::Light
        } else {
            Estimate::Heavy
        }
    }

    /// The worker threads; `None` if there are none, by choice or because the system refused them.
    pub(crate) fn helpers(&self) -> Option<&ThreadPool> {
        let build = || {
            ThreadPoolBuilder::new()
                .num_threads(self.threads - 1)
                .thread_name(|index| format!("anywarp worker {index}"))
                .build()
                .ok()
        };
        self.helpers.get_or_init(build).as_ref()
    }
}

/// Observes the dispatches of an executor from another thread.
#[derive(Clone, Debug)]
pub struct Monitor(Arc<DispatchTracker>);

impl Monitor {
    /// The progress of the running dispatch, if there is one.
    pub fn progress(&self) -> Option<Progress> {
        self.0.progress()
    }
}

/// The estimated work of a dispatch.
enum Estimate {
    Light,
    Heavy,
}

fn is_light(pace: Duration, workgroups: u64) -> bool {
    pace.as_secs_f64() * workgroups as f64 <= WORTH_WAKING.as_secs_f64()
}

/// Runs workgroups on this thread until the rest is worth running in parallel. Returns the number of workgroups that
/// ran.
fn run_while_light(
    runner: &mut Runner<'_>,
    arguments: &Arguments<'_>,
    grid: &Grid,
    limits: &Limits<'_>,
    running: &RunningDispatch<'_>,
) -> Result<u64, DispatchError> {
    let total = grid.total();
    let begin = Instant::now();
    // The clock is read after 1, 2, 4, 8, ... workgroups: often enough to notice heavy ones at
    // once, and without a price for light ones.
    let mut done = 0;
    while done < total {
        let next = total.min((done * 2).max(1));
        run_range(
            runner,
            arguments,
            grid,
            done..next,
            limits,
            running.caller(),
        )?;
        done = next;
        let elapsed = begin.elapsed();
        runner.kernel().set_pace(elapsed, done);
        if !is_light(elapsed.div_f64(done as f64), total - done) {
            break;
        }
    }
    Ok(done)
}
