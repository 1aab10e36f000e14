//! Polls the device on a background thread, natively, so that waiting tasks are woken.
//!
//! In: the submission to wait for, and a deadline. Out: the device's callbacks have run, and the
//! tasks that wait at the outcome_queue are woken. What always holds: there is at most one pending request,
//! the latest one. The thread sleeps while there is none, and has ended when its owner is dropped,
//! so it never keeps a device alive longer than its owner: some drivers crash when a device is
//! destroyed while the process exits. wgpu panics when a driver loses the device; such a panic is
//! reported as a device loss.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::outcome::OutcomeQueue;

/// How often the thread checks whether its owner was dropped, hence the longest time that dropping
/// takes.
const SLICE: Duration = Duration::from_millis(10);

/// A request to wait for a submission.
#[derive(Debug)]
pub(crate) struct Request {
    /// The submission to wait for; `None` means all work submitted so far.
    pub(crate) submission: Option<wgpu::SubmissionIndex>,
    /// Wake the tasks at this time at the latest.
    pub(crate) deadline: Option<Instant>,
}

#[derive(Debug, Default)]
struct State {
    request: Option<Request>,
    is_closed: bool,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned lock is harmless: no code panics while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The owner's handle to the thread.
#[derive(Debug)]
pub(crate) struct Poller {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Poller {
    /// Starts the thread; `None` if the system cannot create one.
    pub(crate) fn start(device: &wgpu::Device, outcome_queue: &OutcomeQueue) -> Option<Self> {
        let shared = Arc::new(Shared::default());
        let poller = PollerThread {
            device: device.clone(),
            outcome_queue: outcome_queue.clone(),
            shared: Arc::clone(&shared),
        };
        let thread = thread::Builder::new().name("anywarp batch watch".to_owned());
        let thread = Some(thread.spawn(move || poller.run()).ok()?);
        Some(Self { shared, thread })
    }

    /// Replaces the pending request.
    pub(crate) fn ask(&self, request: Request) {
        self.shared.state().request = Some(request);
        self.shared.changed.notify_one();
    }
}

impl Drop for Poller {
    fn drop(&mut self) {
        self.shared.state().is_closed = true;
        self.shared.changed.notify_one();
        let Some(thread) = self.thread.take() else {
            return;
        };
        // A woken task may drop the runner on this very thread, which then ends by itself.
        if thread.thread().id() != thread::current().id() {
            // The thread has reported a panic by itself.
            let _ = thread.join();
        }
    }
}

/// The state of the thread.
struct PollerThread {
    device: wgpu::Device,
    outcome_queue: OutcomeQueue,
    shared: Arc<Shared>,
}

impl PollerThread {
    fn run(&self) {
        while let Some(request) = self.next_request() {
            self.wait(request);
            self.outcome_queue.wake();
        }
    }

    /// Waits for a request; `None` when the owner was dropped.
    fn next_request(&self) -> Option<Request> {
        let state = self.shared.state();
        let is_idle = |state: &mut State| state.request.is_none() && !state.is_closed;
        let state = self.shared.changed.wait_while(state, is_idle);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.is_closed {
            return None;
        }
        state.request.take()
    }

    fn wait(&self, request: Request) {
        loop {
            let now = Instant::now();
            let left = request.deadline.map(|at| at.saturating_duration_since(now));
            let waited = self.device.poll(wgpu::PollType::Wait {
                submission_index: request.submission.clone(),
                timeout: Some(left.map_or(SLICE, |left| left.min(SLICE))),
            });
            let is_over = !matches!(waited, Err(wgpu::PollError::Timeout));
            let is_late = left.is_some_and(|left| left <= SLICE);
            if is_over || is_late || self.shared.state().is_closed {
                return;
            }
        }
    }
}

impl Drop for PollerThread {
    fn drop(&mut self) {
        if thread::panicking() {
            self.outcome_queue
                .lose("wgpu panicked while waiting".to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use anywarp_adapter::AdapterOptions;

    use super::*;

    fn device() -> wgpu::Device {
        let adapter = anywarp_adapter::adapter(AdapterOptions::default());
        let request = adapter.request_device(&wgpu::DeviceDescriptor::default());
        pollster::block_on(request).unwrap().0
    }

    fn all_submitted() -> Request {
        Request {
            submission: None,
            deadline: None,
        }
    }

    #[test]
    fn the_thread_has_ended_when_the_watch_is_dropped() {
        let device = device();
        for requests in 0..3 {
            let watch = Poller::start(&device, &OutcomeQueue::default()).unwrap();
            (0..requests).for_each(|_| watch.ask(all_submitted()));
            let shared = Arc::downgrade(&watch.shared);
            drop(watch);
            assert!(shared.upgrade().is_none(), "after {requests} requests");
        }
    }
}
