//! The bookkeeping of the watchdog: progress, elapsed time and limits of each running dispatch.
//!
//! In: an executor's dispatches, each with the threads that run it. Out: a cancel flag that is set if a dispatch is
//! over a limit, and its progress. Each thread counts its finished workgroups in a word of its own; dispatches never
//! read a clock.
//!
//! Elapsed time is CPU time if available: between two samples, the CPU time of the dispatch's busiest thread. So a
//! dispatch on a busy machine, or in a suspended process, is not ended for the time that others took. Where threads
//! have no such clock, it is the wall-clock time between two samples, at most [`MAX_BETWEEN_SAMPLES`]: on a busy machine
//! the watchdog samples less often, too.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anywarp_execution::CancelFlag;

use crate::thread_clock::{Reading, ThreadClock};
use crate::watchdog::{lock, watchdog};

/// The largest wall-clock time that counts between two samples, if threads have no CPU clock.
const MAX_BETWEEN_SAMPLES: Duration = Duration::from_millis(40);

/// The time limits of a dispatch.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TimeLimits {
    /// No workgroup has finished for this long.
    pub(crate) progress: Option<Duration>,
    /// The dispatch has taken this long.
    pub(crate) total: Option<Duration>,
}

impl TimeLimits {
    fn are_set(&self) -> bool {
        self.progress.is_some() || self.total.is_some()
    }
}

/// The progress of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The number of finished workgroups.
    pub finished: u64,
    /// The number of all workgroups.
    pub total: u64,
}

/// The progress of one thread that runs workgroups of a dispatch. Padded against false sharing, as it is written after each workgroup.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct ThreadProgress {
    finished: AtomicU64,
    clock: ThreadClock,
}

impl ThreadProgress {
    /// Workgroups that this thread has finished.
    pub(crate) fn finished(&self) -> u64 {
        self.finished.load(Ordering::Relaxed)
    }

    /// Sets the count of finished workgroups. Only that thread calls this.
    #[inline]
    pub(crate) fn set_finished(&self, workgroups: u64) {
        self.finished.store(workgroups, Ordering::Relaxed);
    }

    /// Registers the calling thread until the guard is dropped.
    pub(crate) fn register(&self) -> ThreadRegistration<'_> {
        self.clock.set();
        ThreadRegistration(self)
    }
}

/// The registration of a thread with a dispatch.
pub(crate) struct ThreadRegistration<'a>(&'a ThreadProgress);

impl Drop for ThreadRegistration<'_> {
    fn drop(&mut self) {
        self.0.clock.clear();
    }
}

/// Whether a dispatch occupies a slot, and its last sample.
#[derive(Debug)]
enum SlotState {
    Idle,
    /// The dispatch has begun and was not sampled yet.
    Begun,
    Sampled(ElapsedTime),
}

/// The elapsed time and progress of a dispatch at the last sample.
#[derive(Debug)]
struct ElapsedTime {
    sampled_at: Instant,
    /// The clock reading of each thread that had a clock.
    readings: Vec<Option<Reading>>,
    finished: u64,
    /// Elapsed time since the first sample.
    total: Duration,
    /// Elapsed time since progress was last seen.
    without_progress: Duration,
}

impl ElapsedTime {
    fn new(now: Instant, slot: &DispatchSlot) -> Self {
        Self {
            sampled_at: now,
            readings: slot.readings(),
            finished: slot.finished(),
            total: Duration::ZERO,
            without_progress: Duration::ZERO,
        }
    }

    fn sample(&mut self, now: Instant, slot: &DispatchSlot) {
        let finished = slot.finished();
        let spent = self.spent(now, slot.readings());
        self.total += spent;
        if finished == self.finished {
            self.without_progress += spent;
        } else {
            self.without_progress = Duration::ZERO;
        }
        self.finished = finished;
    }

    /// The elapsed time since the last sample.
    fn spent(&mut self, now: Instant, readings: Vec<Option<Reading>>) -> Duration {
        let wall = (now - self.sampled_at).min(MAX_BETWEEN_SAMPLES);
        self.sampled_at = now;
        let before = std::mem::replace(&mut self.readings, readings);
        if self.readings.iter().all(Option::is_none) {
            return wall;
        }
        let pairs = self.readings.iter().zip(before);
        let spent = pairs.filter_map(|(reading, before)| (*reading)?.since(before?));
        spent.max().unwrap_or_default()
    }
}

/// A slot for one dispatch at a time.
#[derive(Debug)]
pub(crate) struct DispatchSlot {
    cancel: CancelFlag,
    limits: TimeLimits,
    /// The dispatch neither begins nor ends while this lock is held.
    state: Mutex<SlotState>,
    /// The number of workgroups of the dispatch; zero if there is none.
    workgroups: AtomicU64,
    /// The threads of the executor; the first is that of the dispatch's caller.
    threads: Box<[ThreadProgress]>,
}

impl DispatchSlot {
    /// Samples the dispatch and cancels it if it is over a limit; returns false if there is none.
    pub(crate) fn sample(&self, now: Instant) -> bool {
        let mut state = lock(&self.state);
        match &mut *state {
            SlotState::Idle => return false,
            SlotState::Begun => *state = SlotState::Sampled(ElapsedTime::new(now, self)),
            SlotState::Sampled(elapsed) => {
                elapsed.sample(now, self);
                let is_over =
                    |limit: Option<Duration>, time| limit.is_some_and(|limit| time > limit);
                if is_over(self.limits.progress, elapsed.without_progress) {
                    self.cancel.cancel_without_progress();
                }
                if is_over(self.limits.total, elapsed.total) {
                    self.cancel.cancel_out_of_time();
                }
            }
        }
        true
    }

    fn finished(&self) -> u64 {
        self.threads.iter().map(ThreadProgress::finished).sum()
    }

    fn readings(&self) -> Vec<Option<Reading>> {
        let readings = self.threads.iter().map(|thread| thread.clock.read());
        readings.collect()
    }
}

/// The slots of an executor: the largest number of dispatches that it ever had at once.
#[derive(Debug)]
pub(crate) struct DispatchTracker {
    limits: TimeLimits,
    threads: usize,
    idle: Mutex<Vec<Arc<DispatchSlot>>>,
    all: Mutex<Vec<Arc<DispatchSlot>>>,
}

impl DispatchTracker {
    /// For dispatches with these limits on at most `threads` threads.
    pub(crate) fn new(limits: TimeLimits, threads: usize) -> Self {
        Self {
            limits,
            threads: threads.max(1),
            idle: Mutex::default(),
            all: Mutex::default(),
        }
    }

    /// Begins a dispatch; it ends when the guard is dropped.
    pub(crate) fn begin(&self, workgroups: u64) -> RunningDispatch<'_> {
        let slot = lock(&self.idle).pop();
        let slot = slot.unwrap_or_else(|| self.new_slot());
        slot.cancel.reset();
        slot.threads[0].set_finished(0);
        slot.workgroups.store(workgroups, Ordering::Relaxed);
        if self.limits.are_set() {
            *lock(&slot.state) = SlotState::Begun;
            watchdog().wake();
        }
        RunningDispatch {
            tracker: self,
            slot,
            is_shared: AtomicBool::new(false),
        }
    }

    fn new_slot(&self) -> Arc<DispatchSlot> {
        let TimeLimits { progress, total } = self.limits;
        let [progress, total] = [progress, total].map(|limit| limit.unwrap_or(Duration::MAX));
        let slot = Arc::new(DispatchSlot {
            cancel: CancelFlag::new(progress, total),
            limits: self.limits,
            state: Mutex::new(SlotState::Idle),
            workgroups: AtomicU64::new(0),
            threads: (0..self.threads)
                .map(|_| ThreadProgress::default())
                .collect(),
        });
        lock(&self.all).push(Arc::clone(&slot));
        if self.limits.are_set() {
            watchdog().add(Arc::downgrade(&slot));
        }
        slot
    }

    /// The progress of the running dispatch, if there is one.
    pub(crate) fn progress(&self) -> Option<Progress> {
        let all = lock(&self.all);
        all.iter().find_map(|slot| {
            let total = slot.workgroups.load(Ordering::Relaxed);
            // The two words are not read atomically: a dispatch may begin or end in between.
            let finished = slot.finished().min(total);
            (total > 0).then_some(Progress { finished, total })
        })
    }
}

/// A running dispatch.
#[derive(Debug)]
pub(crate) struct RunningDispatch<'a> {
    tracker: &'a DispatchTracker,
    slot: Arc<DispatchSlot>,
    /// Whether threads other than the caller's have run parts of it.
    is_shared: AtomicBool,
}

impl RunningDispatch<'_> {
    /// The cancel flag of the dispatch.
    pub(crate) fn cancel(&self) -> &CancelFlag {
        &self.slot.cancel
    }

    /// The progress of the caller's thread.
    pub(crate) fn caller(&self) -> &ThreadProgress {
        &self.slot.threads[0]
    }

    /// The progress of another thread of the executor, by its number from 1 on.
    pub(crate) fn helper(&self, number: usize) -> &ThreadProgress {
        self.is_shared.store(true, Ordering::Relaxed);
        &self.slot.threads[number]
    }

    /// The number of finished workgroups.
    pub(crate) fn finished(&self) -> u64 {
        self.slot.finished()
    }
}

impl Drop for RunningDispatch<'_> {
    fn drop(&mut self) {
        self.slot.workgroups.store(0, Ordering::Relaxed);
        *lock(&self.slot.state) = SlotState::Idle;
        if self.is_shared.load(Ordering::Relaxed) {
            for helper in &self.slot.threads[1..] {
                helper.set_finished(0);
            }
        }
        lock(&self.tracker.idle).push(Arc::clone(&self.slot));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use anywarp_execution::{CancelReason, TimeLimit};

    const LIMIT: Duration = Duration::from_millis(50);
    const PROGRESS: Option<CancelReason> =
        Some(CancelReason::OutOfTime(TimeLimit::Progress(LIMIT)));
    const TOTAL: Option<CancelReason> = Some(CancelReason::OutOfTime(TimeLimit::Total(LIMIT)));

    fn with_limits(limits: TimeLimits) -> DispatchTracker {
        DispatchTracker::new(limits, 2)
    }

    fn with_progress_limit() -> DispatchTracker {
        with_limits(TimeLimits {
            progress: Some(LIMIT),
            total: None,
        })
    }

    /// Spins on this thread and calls `step`, until the dispatch is cancelled or `patience` is over.
    fn work(
        running: &RunningDispatch<'_>,
        patience: Duration,
        mut step: impl FnMut(),
    ) -> Option<CancelReason> {
        let _registration = running.caller().register();
        let begin = Instant::now();
        while begin.elapsed() < patience && running.cancel().reason().is_none() {
            step();
        }
        running.cancel().reason()
    }

    /// A timeout that is long enough on a busy machine.
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_dispatch_has_its_time_and_no_more() {
        let tracker = with_progress_limit();
        let running = tracker.begin(1);
        let begin = Instant::now();
        assert_eq!(work(&running, LONG, || {}), PROGRESS);
        assert!(begin.elapsed() >= LIMIT);
        // The next dispatch in the same slot has all of its time.
        drop(running);
        let running = tracker.begin(1);
        assert_eq!(running.cancel().reason(), None);
    }

    #[test]
    fn one_whose_workgroups_finish_goes_on() {
        let tracker = with_progress_limit();
        let running = tracker.begin(u64::MAX);
        let caller = running.caller();
        let step = || caller.set_finished(caller.finished() + 1);
        assert_eq!(work(&running, LIMIT * 10, step), None);
        assert_eq!(tracker.progress().unwrap().finished, caller.finished());
    }

    #[test]
    fn the_workgroups_of_any_thread_count() {
        let tracker = with_progress_limit();
        let running = tracker.begin(u64::MAX);
        let helper = running.helper(1);
        let step = || helper.set_finished(helper.finished() + 1);
        assert_eq!(work(&running, LIMIT * 10, step), None);
        drop(running);
        let running = tracker.begin(7);
        let (finished, total) = (0, 7);
        assert_eq!(tracker.progress(), Some(Progress { finished, total }));
        drop(running);
        assert_eq!(tracker.progress(), None);
    }

    #[test]
    fn the_whole_dispatch_can_have_a_limit() {
        let tracker = with_limits(TimeLimits {
            progress: Some(LONG),
            total: Some(LIMIT),
        });
        let running = tracker.begin(u64::MAX);
        let caller = running.caller();
        let step = || caller.set_finished(caller.finished() + 1);
        assert_eq!(work(&running, LONG, step), TOTAL);
    }

    /// A sleeping thread stands for one that gets no CPU time.
    #[cfg(target_os = "linux")]
    #[test]
    fn time_that_a_thread_does_not_work_does_not_count() {
        let tracker = with_progress_limit();
        let running = tracker.begin(1);
        let sleep = || std::thread::sleep(Duration::from_millis(10));
        assert_eq!(work(&running, LIMIT * 10, sleep), None);
        assert_eq!(work(&running, LONG, || {}), PROGRESS);
    }

    /// As on systems without clocks of threads.
    #[test]
    fn without_a_clock_the_time_on_the_wall_counts() {
        let tracker = with_progress_limit();
        let running = tracker.begin(1);
        let begin = Instant::now();
        while running.cancel().reason().is_none() {
            assert!(begin.elapsed() < LONG);
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(running.cancel().reason(), PROGRESS);
        let mut elapsed = ElapsedTime::new(begin, &running.slot);
        elapsed.sample(begin + LONG, &running.slot);
        assert_eq!(elapsed.total, MAX_BETWEEN_SAMPLES);
    }

    #[test]
    fn dispatches_at_once_have_slots_of_their_own() {
        let tracker = with_progress_limit();
        let [long, short] = [tracker.begin(1), tracker.begin(1)];
        short.cancel().cancel();
        assert_eq!(long.cancel().reason(), None);
        drop(short);
        assert_eq!(work(&long, LONG, || {}), PROGRESS);
    }

    #[test]
    fn without_a_limit_no_dispatch_is_ended() {
        let tracker = with_limits(TimeLimits::default());
        assert_eq!(work(&tracker.begin(1), LIMIT * 3, || {}), None);
    }
}
