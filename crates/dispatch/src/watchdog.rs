//! Detects invocations that never yield.
//!
//! Each thread of a dispatch publishes which member it runs and counts every start and every return
//! from a barrier. The watchdog polls these counts: a count that does not change belongs to an
//! invocation that neither ends nor waits.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use glam::UVec3;

use crate::error::DispatchError;
use crate::options::{StuckInvocation, Watchdog};

/// The progress of one thread.
#[derive(Debug, Default)]
struct ThreadState {
    steps: AtomicU64,
    member: AtomicU32,
    group: [AtomicU32; 3],
    /// Whether the thread has finished its part.
    ended: AtomicBool,
}

/// The thread's handle to its progress.
#[derive(Debug, Default)]
pub(crate) struct Progress(Arc<ThreadState>);

impl Progress {
    #[inline(always)]
    pub(crate) fn member(&self, member: u32) {
        self.0.member.store(member, Relaxed);
        // Only this thread writes, so the increment need not be atomic.
        self.0.steps.store(self.0.steps.load(Relaxed) + 1, Relaxed);
    }

    #[inline(always)]
    pub(crate) fn group(&self, id: UVec3) {
        for (cell, coordinate) in self.0.group.iter().zip(id.to_array()) {
            cell.store(coordinate, Relaxed);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.ended.store(true, Relaxed);
    }
}

/// Monitors the threads of one dispatch until it is dropped.
pub(crate) struct WatchdogThread {
    threads: Arc<Mutex<Vec<Arc<ThreadState>>>>,
    stop: Arc<AtomicBool>,
    watcher: Option<std::thread::JoinHandle<()>>,
}

impl WatchdogThread {
    pub(crate) fn new(watchdog: Option<&Watchdog>) -> Result<Self, DispatchError> {
        let threads = Arc::new(Mutex::new(Vec::new()));
        let stop = Arc::new(AtomicBool::new(false));
        let watcher = watchdog.cloned().map(|watchdog| {
            let (threads, stop) = (threads.clone(), stop.clone());
            let builder = std::thread::Builder::new().name("anywarp-watchdog".to_owned());
            builder.spawn(move || watch(&watchdog, &threads, &stop))
        });
        Ok(Self {
            threads,
            stop,
            watcher: watcher.transpose().map_err(DispatchError::Thread)?,
        })
    }

    /// Registers a thread and returns its handle.
    pub(crate) fn progress(&self) -> Progress {
        let progress = Progress::default();
        if self.watcher.is_some() {
            list(&self.threads).push(progress.0.clone());
        }
        progress
    }
}

impl Drop for WatchdogThread {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
        if let Some(watcher) = self.watcher.take() {
            watcher.thread().unpark();
            // The thread panics only if the user's action does, which has printed its message.
            let _ = watcher.join();
        }
    }
}

fn list(
    threads: &Mutex<Vec<Arc<ThreadState>>>,
) -> std::sync::MutexGuard<'_, Vec<Arc<ThreadState>>> {
    threads
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn watch(watchdog: &Watchdog, threads: &Mutex<Vec<Arc<ThreadState>>>, stop: &AtomicBool) {
    // The last observation of each thread: steps, since when, and whether it was reported.
    let mut seen: Vec<(u64, Instant, bool)> = Vec::new();
    while !stop.load(Relaxed) {
        let now = Instant::now();
        let states = list(threads).clone();
        seen.resize(states.len(), (u64::MAX, now, false));
        for (state, (steps, since, told)) in states.iter().zip(&mut seen) {
            let current = state.steps.load(Relaxed);
            if current != *steps {
                (*steps, *since, *told) = (current, now, false);
            } else if !*told && !state.ended.load(Relaxed) && now - *since >= watchdog.limit {
                *told = true;
                (watchdog.action)(StuckInvocation {
                    group: UVec3::from_array(state.group.each_ref().map(|c| c.load(Relaxed))),
                    member: state.member.load(Relaxed),
                    after: watchdog.limit,
                });
            }
        }
        let pause = (watchdog.limit / 4).clamp(Duration::from_millis(1), Duration::from_secs(1));
        std::thread::park_timeout(pause);
    }
}

/// Prints the stuck invocation on standard error.
pub(crate) fn report(stuck: &StuckInvocation) {
    // An error of this output cannot be reported anywhere.
    let _ = writeln!(std::io::stderr(), "anywarp: {stuck}");
}
