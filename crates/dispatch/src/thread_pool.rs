//! Distributes the groups of a dispatch over threads.
//!
//! The calling thread works too, and others are started only when there is enough work for them.
//! There are three special callers. A rayon worker would run unrelated tasks on top of an
//! invocation that calls rayon, so it leaves all groups to other threads and runs other tasks
//! meanwhile. A thread that is unwinding leaves them to other threads too, because barriers do not
//! wait during unwinding. A nested dispatch, from an invocation, runs on the invocation's thread
//! alone, because the other invocations keep the other threads busy.

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::sync::{Mutex, OnceLock};
use std::thread::{Scope, Thread};
use std::time::{Duration, Instant};

use crate::error::DispatchError;
use crate::fiber::FiberCache;
use crate::group::{Group, GroupShape};
use crate::options::DispatchOptions;
use crate::permutation::Permutation;
use crate::scheduler::{GroupSource, run_groups};
use crate::watchdog::WatchdogThread;

/// A dispatch with less work than this gets no further thread.
const WORTH_A_THREAD: Duration = Duration::from_micros(100);

/// The default stack size of an invocation in bytes.
const STACK_SIZE: usize = 256 << 10;

/// The minimum stack size: with less, an invocation could not even panic.
const MIN_STACK_SIZE: usize = 32 << 10;

/// Distributes the numbers of groups in chunks.
pub(crate) struct GroupQueue {
    total: u64,
    portion: u64,
    next: AtomicU64,
    permutation: Permutation,
    stopped: AtomicBool,
}

impl GroupQueue {
    pub(crate) fn new(total: u64, threads: usize, options: &DispatchOptions) -> Self {
        Self {
            total,
            portion: (total / (threads as u64 * 16)).clamp(1, 256),
            next: AtomicU64::new(0),
            permutation: Permutation::new(options.schedule, total),
            stopped: AtomicBool::new(false),
        }
    }

    /// The next chunk of numbers, before their permutation.
    fn take(&self, most: u64) -> Range<u64> {
        if self.stopped.load(Relaxed) {
            return 0..0;
        }
        let portion = self.portion.min(most);
        let first = self.next.fetch_add(portion, Relaxed).min(self.total);
        first..(first + portion).min(self.total)
    }
}

/// One thread's access to the queue.
pub(crate) struct QueueShare<'q> {
    queue: &'q GroupQueue,
    taken: Cell<(u64, u64)>,
    /// The number of groups that this thread may still take.
    left: Cell<u64>,
}

impl<'q> QueueShare<'q> {
    pub(crate) fn new(queue: &'q GroupQueue, most: u64) -> Self {
        Self {
            queue,
            taken: Cell::new((0, 0)),
            left: Cell::new(most),
        }
    }

    /// The number of the next group.
    #[inline]
    pub(crate) fn next(&self) -> Option<u64> {
        let (mut next, mut end) = self.taken.get();
        if next == end {
            let range = self.queue.take(self.left.get());
            (next, end) = (range.start, range.end);
            self.left.set(self.left.get() - (end - next));
            if next == end {
                return None;
            }
        } else if self.queue.stopped.load(Relaxed) {
            return None;
        }
        self.taken.set((next + 1, end));
        Some(self.queue.permutation.at(next))
    }
}

/// Runs `total` groups on several threads; `source` creates each thread's groups from its share.
pub(crate) fn run_on_threads<'s, S: GroupSource>(
    shape: GroupShape,
    total: u64,
    options: &DispatchOptions,
    source: impl Fn(QueueShare<'s>) -> S + Sync,
    queue: &'s OnceLock<GroupQueue>,
) -> Result<(), DispatchError> {
    if total == 0 {
        return Ok(());
    }
    let threads = if Group::is_inside() {
        1
    } else {
        options.thread_count()
    };
    let queue = queue.get_or_init(|| GroupQueue::new(total, threads, options));
    let watch = WatchdogThread::new(options.watchdog.as_ref())?;
    let failure = FirstError::default();
    let stack_size = options.stack_size.map_or(STACK_SIZE, NonZeroUsize::get);
    let stack_size = stack_size.max(MIN_STACK_SIZE);

    let work = |thread: u64, most: u64| {
        let group = Group::new(shape, options.schedule, thread, watch.progress());
        let mut fibers = FiberCache::new(stack_size);
        let result = run_groups(&group, &source(QueueShare::new(queue, most)), &mut fibers);
        if let Err(error) = result {
            queue.stopped.store(true, Relaxed);
            failure.keep(error);
        }
    };
    let helpers = HelperThreads::new(&work);
    let most = usize::try_from(total).unwrap_or(usize::MAX).min(threads);
    let led = std::thread::scope(|scope| {
        if cannot_run_invocations() {
            helpers.spawn(scope, 0..most)?;
            helpers.wait();
            return Ok(());
        }
        if most > 1 {
            let start = Instant::now();
            work(0, 1);
            let each = start.elapsed();
            let rest = u32::try_from(total - 1).unwrap_or(u32::MAX);
            if each.saturating_mul(rest) > WORTH_A_THREAD && !queue.stopped.load(Relaxed) {
                // If no thread can be started, the dispatch only takes longer.
                let _ = helpers.spawn(scope, 1..most);
            }
        }
        work(0, u64::MAX);
        Ok(())
    });
    led.and(failure.into_result())
}

/// Whether the calling thread cannot run invocations. A rayon worker would run unrelated tasks on
/// top of one. In a thread that is unwinding, an invocation that unwinds cannot be told from one
/// that does not, and only the latter wait at barriers.
fn cannot_run_invocations() -> bool {
    let is_rayon_worker = rayon_core::current_thread_index().is_some();
    std::thread::panicking() || (is_rayon_worker && !Group::is_inside())
}

/// The first error of a dispatch. Later ones are often consequences of the first.
#[derive(Default)]
struct FirstError(Mutex<Option<DispatchError>>);

impl FirstError {
    fn keep(&self, error: DispatchError) {
        let mut first = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        if first.is_none() {
            *first = Some(error);
        } else {
            drop(first);
            error.discard();
        }
    }

    fn into_result(self) -> Result<(), DispatchError> {
        let first = self.0.into_inner();
        let first = first.unwrap_or_else(|poisoned| poisoned.into_inner());
        first.map_or(Ok(()), Err)
    }
}

/// The threads that were started for a dispatch.
struct HelperThreads<'w, W> {
    work: &'w W,
    caller: Thread,
    running: AtomicUsize,
}

impl<'w, W: Fn(u64, u64) + Sync> HelperThreads<'w, W> {
    fn new(work: &'w W) -> Self {
        Self {
            work,
            caller: std::thread::current(),
            running: AtomicUsize::new(0),
        }
    }

    /// Starts threads with these numbers; fails if none can be started.
    fn spawn<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        threads: Range<usize>,
    ) -> Result<(), DispatchError> {
        let mut result = Ok(());
        for (before, thread) in threads.enumerate() {
            self.running.fetch_add(1, Relaxed);
            let running = RunningThread(self);
            let builder = std::thread::Builder::new().name(format!("anywarp-{thread}"));
            let started = builder.spawn_scoped(scope, move || {
                let helpers = running.0;
                (helpers.work)(thread as u64, u64::MAX);
                drop(running);
            });
            match started {
                Ok(_) => {}
                // The next one would fail too.
                Err(error) if before == 0 => {
                    result = Err(DispatchError::Thread(error));
                    break;
                }
                Err(_) => break,
            }
        }
        result
    }

    /// Waits until none of the threads runs. Meanwhile a rayon worker runs other tasks: if it only
    /// slept, invocations that call rayon might wait for this worker.
    fn wait(&self) {
        while self.running.load(Acquire) > 0 {
            if rayon_core::yield_now() != Some(rayon_core::Yield::Executed) {
                std::thread::park_timeout(Duration::from_micros(50));
            }
        }
    }
}

/// Counts a thread as running until this is dropped, also when the thread panics.
struct RunningThread<'t, 'w, W>(&'t HelperThreads<'w, W>);

impl<W> Drop for RunningThread<'_, '_, W> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Release);
        self.0.caller.unpark();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Schedule;

    #[test]
    fn every_group_is_handed_out_once() {
        for schedule in [Schedule::InOrder, Schedule::Random(7)] {
            let options = DispatchOptions::default().schedule(schedule);
            for total in [1, 2, 17, 600] {
                let queue = GroupQueue::new(total, 3, &options);
                // The first share measures the time of a single group.
                let shares = [1, u64::MAX, u64::MAX].map(|most| QueueShare::new(&queue, most));
                let mut seen = Vec::new();
                loop {
                    let round: Vec<_> = shares.iter().filter_map(QueueShare::next).collect();
                    if round.is_empty() {
                        break;
                    }
                    seen.extend(round);
                }
                seen.sort_unstable();
                assert!(seen.into_iter().eq(0..total), "{schedule:?} of {total}");
            }
        }
    }

    #[test]
    fn a_stopped_queue_hands_out_nothing() {
        let queue = GroupQueue::new(1000, 1, &DispatchOptions::default());
        let share = QueueShare::new(&queue, u64::MAX);
        assert!(share.next().is_some());
        queue.stopped.store(true, Relaxed);
        assert_eq!(share.next(), None, "not even what it has taken");
        assert_eq!(QueueShare::new(&queue, u64::MAX).next(), None);
    }

    #[test]
    fn the_first_error_is_kept() {
        let error = |size: &str| DispatchError::TooLarge {
            what: "it",
            size: size.to_owned(),
        };
        let failure = FirstError::default();
        failure.keep(error("first"));
        failure.keep(error("second"));
        let kept = failure.into_result().unwrap_err().to_string();
        assert_eq!(kept, "it is too large: first");
    }
}
