//! Measures the stages of a body, each by itself.
//!
//! In: named closures. Out: their results, and the first stage that exceeded its [`Limits`]. Time is processor time
//! of the whole process, so other processes on a busy machine do not count. A monitor thread can check the running
//! stage ([`Stages::excess`]) to end a process whose stage does not end.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use super::finding::{Finding, Kind};
use super::limits::Limits;
use super::memory;

/// The processor time that the process has used.
pub(crate) fn process_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

/// A stage that is running.
#[derive(Clone, Copy, Debug)]
struct RunningStage {
    name: &'static str,
    begin: Duration,
    live: usize,
    resident: Option<u64>,
}

#[derive(Debug, Default)]
struct StageState {
    running: Option<RunningStage>,
    excess: Option<Finding>,
    last: &'static str,
    longest: Duration,
    largest: u64,
}

/// Measures the stages of one input.
#[derive(Debug)]
pub struct Stages {
    limits: Limits,
    /// Called with the name of each stage when it begins.
    announce: fn(&str),
    inner: Mutex<StageState>,
}

impl Stages {
    /// Stages with these limits.
    pub fn new(limits: Limits) -> Self {
        Self::announced(limits, |_| {})
    }

    /// Stages with a callback, which is called with the name of each stage when it begins.
    pub(crate) fn announced(limits: Limits, announce: fn(&str)) -> Self {
        Self {
            limits,
            announce,
            inner: Mutex::default(),
        }
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, StageState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The limits of each stage.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Runs a stage.
    pub fn run<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        (self.announce)(name);
        {
            let mut inner = self.inner();
            inner.last = name;
            inner.running = Some(RunningStage {
                name,
                begin: process_time(),
                live: memory::reset_peak(),
                resident: memory::resident(),
            });
        }
        let result = work();
        self.end();
        result
    }

    /// Adds the measurements of a stage that ran in another process.
    pub(crate) fn note(&self, name: &'static str, time: Duration, bytes: u64) {
        let excess = self.judge(name, time, bytes);
        let mut inner = self.inner();
        inner.last = name;
        inner.longest = inner.longest.max(time);
        inner.largest = inner.largest.max(bytes);
        if inner.excess.is_none() {
            inner.excess = excess;
        }
    }

    fn end(&self) {
        let Some(running) = self.inner().running.take() else {
            return;
        };
        let time = process_time().saturating_sub(running.begin);
        let bytes = memory::peak().saturating_sub(running.live) as u64;
        self.note(running.name, time, bytes);
    }

    fn judge(&self, name: &'static str, time: Duration, bytes: u64) -> Option<Finding> {
        let Limits {
            time: most_time,
            bytes: most_bytes,
        } = self.limits;
        if bytes > most_bytes {
            let text = format!("{} MB, allowed are {} MB", bytes >> 20, most_bytes >> 20);
            return Some(Finding::new(Kind::Memory, name, text));
        }
        if time > most_time {
            let text = format!(
                "{:.1} s of processor time, allowed are {:.1} s",
                time.as_secs_f64(),
                most_time.as_secs_f64()
            );
            return Some(Finding::new(Kind::Time, name, text));
        }
        None
    }

    /// Which limit the running stage has already exceeded: time, allocations or resident memory.
    pub fn excess(&self) -> Option<Finding> {
        let running = self.inner().running?;
        let time = process_time().saturating_sub(running.begin);
        let allocated = memory::peak().saturating_sub(running.live) as u64;
        let resident = match (running.resident, memory::resident()) {
            (Some(before), Some(now)) => now.saturating_sub(before),
            _ => 0,
        };
        self.judge(running.name, time, allocated.max(resident))
    }

    /// The name of the last stage that began.
    pub(crate) fn last(&self) -> &'static str {
        self.inner().last
    }

    /// The first stage that exceeded its limits, the time of the slowest stage, and the bytes of the largest.
    pub(crate) fn finish(&self) -> (Option<Finding>, Duration, u64) {
        // A panic may have left a stage open.
        self.end();
        let mut inner = self.inner();
        (inner.excess.take(), inner.longest, inner.largest)
    }
}
