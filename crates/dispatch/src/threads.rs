//! Spreads the groups of a dispatch over threads.
//!
//! The calling thread works too, and others are started only when there is enough for them to do.
//! Two kinds of callers do not: a rayon worker, which would run foreign tasks on top of an invocation
//! that calls rayon, lets other threads do everything and does other tasks meanwhile; an invocation, whose dispatch is nested, does
//! everything itself, for its siblings keep the other threads busy.

use std::sync::Mutex;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};
use std::time::{Duration, Instant};

use crate::crew::{Source, drive};
use crate::error::DispatchError;
use crate::fiber::Fibers;
use crate::group::{Group, Shape};
use crate::options::DispatchOptions;
use crate::schedule::Permutation;
use crate::watchdog::Watch;

/// A dispatch with less work than this is not worth another thread.
const WORTH_A_THREAD: Duration = Duration::from_micros(100);

/// Bytes of stack for an invocation, if the user does not say.
const STACK_SIZE: usize = 256 << 10;

/// Hands out the numbers of groups.
pub(crate) struct Queue {
    total: u64,
    portion: u64,
    next: AtomicU64,
    permutation: Permutation,
    stopped: AtomicBool,
}

impl Queue {
    fn new(total: u64, threads: usize, options: &DispatchOptions) -> Self {
        Self {
            total,
            portion: (total / (threads as u64 * 16)).clamp(1, 256),
            next: AtomicU64::new(0),
            permutation: Permutation::new(options.schedule, total),
            stopped: AtomicBool::new(false),
        }
    }

    /// The next numbers, before their permutation.
    fn take(&self, most: u64) -> std::ops::Range<u64> {
        if self.stopped.load(Relaxed) {
            return 0..0;
        }
        let portion = self.portion.min(most);
        let first = self.next.fetch_add(portion, Relaxed).min(self.total);
        first..(first + portion).min(self.total)
    }
}

/// A thread's share of the queue.
pub(crate) struct Share<'q> {
    queue: &'q Queue,
    taken: std::cell::Cell<(u64, u64)>,
    /// How many groups this thread may still take.
    left: std::cell::Cell<u64>,
}

impl<'q> Share<'q> {
    fn new(queue: &'q Queue, most: u64) -> Self {
        Self {
            queue,
            taken: std::cell::Cell::new((0, 0)),
            left: std::cell::Cell::new(most),
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

/// Runs `total` groups; `source` makes what a thread runs of its share.
pub(crate) fn spread<'s, S: Source>(
    shape: Shape,
    total: u64,
    options: &DispatchOptions,
    source: impl Fn(Share<'s>) -> S + Sync,
    queue: &'s std::sync::OnceLock<Queue>,
) -> Result<(), DispatchError> {
    if total == 0 {
        return Ok(());
    }
    let threads = if Group::is_inside() {
        1
    } else {
        options.thread_count()
    };
    let queue = queue.get_or_init(|| Queue::new(total, threads, options));
    let watch = Watch::new(options.watchdog.as_ref());
    let failure = Mutex::new(None);
    let stack_size = options.stack_size.map_or(STACK_SIZE, |size| size.get());

    let work = |thread: u64, most: u64| {
        let group = Group::new(shape, options.schedule, thread, watch.progress());
        let mut fibers = Fibers::new(stack_size);
        let result = drive(&group, &source(Share::new(queue, most)), &mut fibers);
        if let Err(error) = result {
            queue.stopped.store(true, Relaxed);
            // The first one counts; the others are its consequences as often as not.
            let mut slot = failure.lock().unwrap_or_else(|p| p.into_inner());
            slot.get_or_insert(error);
        }
    };

    let most = usize::try_from(total).unwrap_or(usize::MAX).min(threads);
    let (running, caller) = (&AtomicUsize::new(0), &std::thread::current());
    let work = &work;
    std::thread::scope(|scope| {
        let spawn = |threads: std::ops::Range<usize>| {
            for thread in threads {
                running.fetch_add(1, Relaxed);
                let builder = std::thread::Builder::new().name(format!("anywarp-{thread}"));
                let started = builder.spawn_scoped(scope, move || {
                    work(thread as u64, u64::MAX);
                    running.fetch_sub(1, Release);
                    caller.unpark();
                });
                if started.is_err() {
                    running.fetch_sub(1, Relaxed);
                }
            }
            running.load(Relaxed)
        };
        if rayon_core::current_thread_index().is_some() && !Group::is_inside() {
            if spawn(0..most) > 0 {
                return wait_as_rayon_worker(running);
            }
            // No thread could be had: the caller does it all, as well as it can.
        } else if most > 1 {
            let start = Instant::now();
            work(0, 1);
            let each = start.elapsed();
            let rest = u32::try_from(total - 1).unwrap_or(u32::MAX);
            if each.saturating_mul(rest) > WORTH_A_THREAD && !queue.stopped.load(Relaxed) {
                spawn(1..most);
            }
        }
        work(0, u64::MAX);
    });
    let failure = failure.into_inner().unwrap_or_else(|p| p.into_inner());
    failure.map_or(Ok(()), Err)
}

/// Waits until no thread is `running`, and does what a waiting rayon worker should do meanwhile:
/// other tasks. If it only slept, invocations that call rayon might wait for this worker.
fn wait_as_rayon_worker(running: &AtomicUsize) {
    while running.load(Acquire) > 0 {
        if rayon_core::yield_now() != Some(rayon_core::Yield::Executed) {
            std::thread::park_timeout(Duration::from_micros(50));
        }
    }
}
