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

/// A thread that runs workgroups of a dispatch. Padded against false sharing, as it is written after each workgroup.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Participant {
    finished: AtomicU64,
    clock: ThreadClock,
}

impl Participant {
    /// Workgroups that this thread has finished.
    pub(crate) fn finished(&self) -> u64 {
        self.finished.load(Ordering::Relaxed)
    }

    /// Sets the count of finished workgroups. Only the participant's own thread calls this.
    #[inline]
    pub(crate) fn set_finished(&self, workgroups: u64) {
        self.finished.store(workgroups, Ordering::Relaxed);
    }

    /// Registers the calling thread until the guard is dropped.
    pub(crate) fn join(&self) -> Joined<'_> {
        self.clock.set();
        Joined(self)
    }
}

/// The registration of a thread with a dispatch.
pub(crate) struct Joined<'a>(&'a Participant);

impl Drop for Joined<'_> {
    fn drop(&mut self) {
        self.0.clock.clear();
    }
}

/// The state of a slot.
#[derive(Debug)]
enum Run {
    Idle,
    Begun,
    Seen(Account),
}

/// The elapsed time and progress of a dispatch at the last sample.
#[derive(Debug)]
struct Account {
    sampled_at: Instant,
    /// The clock reading of each participant that had a clock.
    readings: Vec<Option<Reading>>,
    finished: u64,
    /// Elapsed time since the first sample.
    total: Duration,
    /// Elapsed time since progress was last seen.
    without_progress: Duration,
}

impl Account {
    fn new(now: Instant, watched: &Watched) -> Self {
        Self {
            sampled_at: now,
            readings: watched.readings(),
            finished: watched.finished(),
            total: Duration::ZERO,
            without_progress: Duration::ZERO,
        }
    }

    fn sample(&mut self, now: Instant, watched: &Watched) {
        let finished = watched.finished();
        let spent = self.spent(now, watched.readings());
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
pub(crate) struct Watched {
    cancel: CancelFlag,
    limits: TimeLimits,
    /// The dispatch neither begins nor ends while this lock is held.
    run: Mutex<Run>,
    /// The number of workgroups of the dispatch; zero if there is none.
    workgroups: AtomicU64,
    /// The threads of the executor; the first is that of the dispatch's caller.
    participants: Box<[Participant]>,
}

impl Watched {
    /// Samples the dispatch and cancels it if it is over a limit; returns false if there is none.
    pub(crate) fn sample(&self, now: Instant) -> bool {
        let mut run = lock(&self.run);
        match &mut *run {
            Run::Idle => return false,
            Run::Begun => *run = Run::Seen(Account::new(now, self)),
            Run::Seen(account) => {
                account.sample(now, self);
                let is_over =
                    |limit: Option<Duration>, time| limit.is_some_and(|limit| time > limit);
                if is_over(self.limits.progress, account.without_progress) {
                    self.cancel.cancel_without_progress();
                }
                if is_over(self.limits.total, account.total) {
                    self.cancel.cancel_out_of_time();
                }
            }
        }
        true
    }

    fn finished(&self) -> u64 {
        self.participants.iter().map(Participant::finished).sum()
    }

    fn readings(&self) -> Vec<Option<Reading>> {
        let readings = self
            .participants
            .iter()
            .map(|participant| participant.clock.read());
        readings.collect()
    }
}

/// The slots of an executor: the largest number of dispatches that it ever had at once.
#[derive(Debug)]
pub(crate) struct Watches {
    limits: TimeLimits,
    threads: usize,
    idle: Mutex<Vec<Arc<Watched>>>,
    all: Mutex<Vec<Arc<Watched>>>,
}

impl Watches {
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
    pub(crate) fn begin(&self, workgroups: u64) -> Watch<'_> {
        let watched = lock(&self.idle).pop();
        let watched = watched.unwrap_or_else(|| self.new_slot());
        watched.cancel.reset();
        watched.participants[0].set_finished(0);
        watched.workgroups.store(workgroups, Ordering::Relaxed);
        if self.limits.are_set() {
            *lock(&watched.run) = Run::Begun;
            watchdog().wake();
        }
        Watch {
            watches: self,
            watched,
            is_shared: AtomicBool::new(false),
        }
    }

    fn new_slot(&self) -> Arc<Watched> {
        let TimeLimits { progress, total } = self.limits;
        let [progress, total] = [progress, total].map(|limit| limit.unwrap_or(Duration::MAX));
        let watched = Arc::new(Watched {
            cancel: CancelFlag::new(progress, total),
            limits: self.limits,
            run: Mutex::new(Run::Idle),
            workgroups: AtomicU64::new(0),
            participants: (0..self.threads).map(|_| Participant::default()).collect(),
        });
        lock(&self.all).push(Arc::clone(&watched));
        if self.limits.are_set() {
            watchdog().add(Arc::downgrade(&watched));
        }
        watched
    }

    /// The progress of the running dispatch, if there is one.
    pub(crate) fn progress(&self) -> Option<Progress> {
        let all = lock(&self.all);
        all.iter().find_map(|watched| {
            let total = watched.workgroups.load(Ordering::Relaxed);
            // The two words are not read atomically: a dispatch may begin or end in between.
            let finished = watched.finished().min(total);
            (total > 0).then_some(Progress { finished, total })
        })
    }
}

/// A running dispatch.
#[derive(Debug)]
pub(crate) struct Watch<'a> {
    watches: &'a Watches,
    watched: Arc<Watched>,
    /// Whether threads other than the caller's have run parts of it.
    is_shared: AtomicBool,
}

impl Watch<'_> {
    /// The cancel flag of the dispatch.
    pub(crate) fn cancel(&self) -> &CancelFlag {
        &self.watched.cancel
    }

    /// The participant of the caller's thread.
    pub(crate) fn caller(&self) -> &Participant {
        &self.watched.participants[0]
    }

    /// The participant of another thread of the executor; they have the numbers from 1 on.
    pub(crate) fn helper(&self, number: usize) -> &Participant {
        self.is_shared.store(true, Ordering::Relaxed);
        &self.watched.participants[number]
    }

    /// The number of finished workgroups.
    pub(crate) fn finished(&self) -> u64 {
        self.watched.finished()
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        self.watched.workgroups.store(0, Ordering::Relaxed);
        *lock(&self.watched.run) = Run::Idle;
        if self.is_shared.load(Ordering::Relaxed) {
            for helper in &self.watched.participants[1..] {
                helper.set_finished(0);
            }
        }
        lock(&self.watches.idle).push(Arc::clone(&self.watched));
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

    fn watches(limits: TimeLimits) -> Watches {
        Watches::new(limits, 2)
    }

    fn watched() -> Watches {
        watches(TimeLimits {
            progress: Some(LIMIT),
            total: None,
        })
    }

    /// Spins on this thread and calls `step`, until the dispatch is cancelled or `patience` is over.
    fn work(watch: &Watch<'_>, patience: Duration, mut step: impl FnMut()) -> Option<CancelReason> {
        let _joined = watch.caller().join();
        let begin = Instant::now();
        while begin.elapsed() < patience && watch.cancel().reason().is_none() {
            step();
        }
        watch.cancel().reason()
    }

    /// A timeout that is long enough on a busy machine.
    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_dispatch_has_its_time_and_no_more() {
        let watches = watched();
        let watch = watches.begin(1);
        let begin = Instant::now();
        assert_eq!(work(&watch, LONG, || {}), PROGRESS);
        assert!(begin.elapsed() >= LIMIT);
        // The next dispatch in the same slot has all of its time.
        drop(watch);
        let watch = watches.begin(1);
        assert_eq!(watch.cancel().reason(), None);
    }

    #[test]
    fn one_whose_workgroups_finish_goes_on() {
        let watches = watched();
        let watch = watches.begin(u64::MAX);
        let caller = watch.caller();
        let step = || caller.set_finished(caller.finished() + 1);
        assert_eq!(work(&watch, LIMIT * 10, step), None);
        assert_eq!(watches.progress().unwrap().finished, caller.finished());
    }

    #[test]
    fn the_workgroups_of_any_thread_count() {
        let watches = watched();
        let watch = watches.begin(u64::MAX);
        let helper = watch.helper(1);
        let step = || helper.set_finished(helper.finished() + 1);
        assert_eq!(work(&watch, LIMIT * 10, step), None);
        drop(watch);
        let watch = watches.begin(7);
        let (finished, total) = (0, 7);
        assert_eq!(watches.progress(), Some(Progress { finished, total }));
        drop(watch);
        assert_eq!(watches.progress(), None);
    }

    #[test]
    fn the_whole_dispatch_can_have_a_limit() {
        let watches = watches(TimeLimits {
            progress: Some(LONG),
            total: Some(LIMIT),
        });
        let watch = watches.begin(u64::MAX);
        let caller = watch.caller();
        let step = || caller.set_finished(caller.finished() + 1);
        assert_eq!(work(&watch, LONG, step), TOTAL);
    }

    /// A sleeping thread stands for one that gets no CPU time.
    #[cfg(target_os = "linux")]
    #[test]
    fn time_that_a_thread_does_not_work_does_not_count() {
        let watches = watched();
        let watch = watches.begin(1);
        let sleep = || std::thread::sleep(Duration::from_millis(10));
        assert_eq!(work(&watch, LIMIT * 10, sleep), None);
        assert_eq!(work(&watch, LONG, || {}), PROGRESS);
    }

    /// As on systems without clocks of threads.
    #[test]
    fn without_a_clock_the_time_on_the_wall_counts() {
        let watches = watched();
        let watch = watches.begin(1);
        let begin = Instant::now();
        while watch.cancel().reason().is_none() {
            assert!(begin.elapsed() < LONG);
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(watch.cancel().reason(), PROGRESS);
        let mut account = Account::new(begin, &watch.watched);
        account.sample(begin + LONG, &watch.watched);
        assert_eq!(account.total, MAX_BETWEEN_SAMPLES);
    }

    #[test]
    fn dispatches_at_once_have_places_of_their_own() {
        let watches = watched();
        let [long, short] = [watches.begin(1), watches.begin(1)];
        short.cancel().cancel();
        assert_eq!(long.cancel().reason(), None);
        drop(short);
        assert_eq!(work(&long, LONG, || {}), PROGRESS);
    }

    #[test]
    fn without_a_limit_no_dispatch_is_ended() {
        let watches = watches(TimeLimits::default());
        assert_eq!(work(&watches.begin(1), LIMIT * 3, || {}), None);
    }
}
