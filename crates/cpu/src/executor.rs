//! Runs a kernel over a grid, on as many threads as are worth it.
//!
//! In: a runner, arguments and a grid. Out: everything written, or the error of a workgroup. A
//! dispatch begins on the caller's thread. Only when the time of the first workgroups says that the
//! rest will take longer than waking other threads does it go parallel, so that small dispatches cost
//! well under a microsecond.

use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use anywarp_interpret::{Arguments, Limits};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::grid::Grid;
use crate::parallel::Split;
use crate::{DispatchError, Runner};

/// Work that is expected to take less than this stays on one thread: waking another takes about as
/// long.
const WORTH_WAKING: Duration = Duration::from_micros(50);

/// How to run kernels.
#[derive(Clone, Debug)]
pub struct ExecutorOptions {
    /// Threads that run workgroups, the caller's included; as many as there are cores by default.
    pub threads: Option<NonZeroUsize>,
    /// Time that one workgroup may take before it counts as endless.
    pub workgroup_time: Option<Duration>,
    /// Loop iterations that one workgroup may spend, all its invocations together.
    pub workgroup_iterations: Option<u64>,
}

impl Default for ExecutorOptions {
    fn default() -> Self {
        Self {
            threads: None,
            workgroup_time: Some(Duration::from_secs(10)),
            workgroup_iterations: None,
        }
    }
}

/// The threads of a device, and the limits on what it runs.
#[derive(Debug)]
pub struct Executor {
    threads: usize,
    limits: Limits<'static>,
    /// The helpers of the caller's thread; made when a dispatch is first worth it.
    helpers: OnceLock<Option<ThreadPool>>,
}

impl Executor {
    /// Starts no thread yet.
    pub fn new(options: &ExecutorOptions) -> Self {
        let available = || std::thread::available_parallelism().ok();
        let threads = options.threads.or_else(available);
        Self {
            threads: threads.map_or(1, NonZeroUsize::get),
            limits: Limits {
                iterations: options.workgroup_iterations.unwrap_or(u64::MAX),
                time: options.workgroup_time,
                cancel: None,
            },
            helpers: OnceLock::new(),
        }
    }

    /// Threads that run workgroups, the caller's included.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Runs every workgroup of the grid [`Arguments::workgroup_count`].
    ///
    /// When several workgroups fail, the error is that of the lowest number among those seen. After
    /// an error the runner must not be used again.
    pub fn dispatch(
        &self,
        runner: &mut Runner<'_>,
        arguments: &Arguments<'_>,
    ) -> Result<(), DispatchError> {
        let count = arguments.workgroup_count;
        let grid = Grid::new(count).ok_or(DispatchError::GridTooLarge(count))?;
        if grid.total() <= 1 || self.threads == 1 {
            return run_all(runner, arguments, &grid, &self.limits);
        }
        let (done, pace) = self.run_first(runner, arguments, &grid)?;
        if done == grid.total() {
            return Ok(());
        }
        let split = Split::new(arguments, grid, done..grid.total(), &self.limits);
        split.run(runner, self.helpers(), self.threads, pace)
    }

    /// Runs workgroups on this thread until the rest looks worth sharing. Returns how many ran and
    /// the time that one took.
    fn run_first(
        &self,
        runner: &mut Runner<'_>,
        arguments: &Arguments<'_>,
        grid: &Grid,
    ) -> Result<(u64, Duration), DispatchError> {
        let total = grid.total();
        let begin = Instant::now();
        let mut done = 0;
        // The clock is read after 1, 2, 4, 8, ... workgroups: often enough to notice heavy ones at
        // once, and without a price for light ones.
        let mut next_look = 1;
        for (number, id) in grid.ids(0..total) {
            run_one(runner, arguments, id, &self.limits)?;
            done = number + 1;
            if done == next_look {
                let pace = begin.elapsed().div_f64(done as f64);
                if pace.as_secs_f64() * (total - done) as f64 > WORTH_WAKING.as_secs_f64() {
                    return Ok((done, pace));
                }
                next_look *= 2;
            }
        }
        Ok((done, Duration::ZERO))
    }

    /// `None` where there are no other threads, by choice or because the system refused them.
    fn helpers(&self) -> Option<&ThreadPool> {
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

fn run_all(
    runner: &mut Runner<'_>,
    arguments: &Arguments<'_>,
    grid: &Grid,
    limits: &Limits<'_>,
) -> Result<(), DispatchError> {
    for (_, id) in grid.ids(0..grid.total()) {
        run_one(runner, arguments, id, limits)?;
    }
    Ok(())
}

/// Runs one workgroup; a panic of the engine becomes an error.
pub(crate) fn run_one(
    runner: &mut Runner<'_>,
    arguments: &Arguments<'_>,
    workgroup: [u32; 3],
    limits: &Limits<'_>,
) -> Result<(), DispatchError> {
    // Unwind safety: after a panic the runner is not used again, and buffers are atomic words.
    match catch_unwind(AssertUnwindSafe(|| {
        runner.run(arguments, workgroup, limits)
    })) {
        Ok(result) => Ok(result?),
        Err(payload) => Err(DispatchError::Internal {
            entry_point: runner.kernel().name().to_owned(),
            workgroup,
            message: panic_message(payload.as_ref()),
        }),
    }
}

fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a message").to_owned()
}
