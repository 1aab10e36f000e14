//! Wakes tasks natively, where no driver does: a thread that waits for the device in their place.
//!
//! In: which submission to wait for, and how long at most. Out: the device's callbacks have run, and
//! whoever waits at the inbox is woken. What always holds: there is one request at most, the latest;
//! the thread sleeps while there is none, and has ended when the watch is dropped, so that it never
//! holds a device longer than its owner: drivers crash when a device ends while the process does. A
//! panic of wgpu, which is how it tells that a driver lost the device, is a loss for whoever waits.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::outcome::Inbox;

/// The thread looks this often whether anybody still wants it, so dropping takes this long at most.
const SLICE: Duration = Duration::from_millis(10);

/// What to wait for.
#[derive(Debug)]
pub(crate) struct Request {
    /// All that was submitted, if there is none in particular.
    pub(crate) submission: Option<wgpu::SubmissionIndex>,
    /// Somebody has to be woken by then in any case.
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
        // Nothing in here panics half way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The way to the thread.
#[derive(Debug)]
pub(crate) struct Watch {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Starts the thread; `None` if the system has none to give.
    pub(crate) fn start(device: &wgpu::Device, inbox: &Inbox) -> Option<Self> {
        let shared = Arc::new(Shared::default());
        let watcher = Watcher {
            device: device.clone(),
            inbox: inbox.clone(),
            shared: Arc::clone(&shared),
        };
        let thread = thread::Builder::new().name("anywarp batch watch".to_owned());
        let thread = Some(thread.spawn(move || watcher.run()).ok()?);
        Some(Self { shared, thread })
    }

    /// Waits for this from now on, and for nothing else.
    pub(crate) fn ask(&self, request: Request) {
        self.shared.state().request = Some(request);
        self.shared.changed.notify_one();
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.shared.state().is_closed = true;
        self.shared.changed.notify_one();
        let Some(thread) = self.thread.take() else {
            return;
        };
        // Whoever is woken may drop the runner at once, on this very thread: then it ends by itself.
        if thread.thread().id() != thread::current().id() {
            // It has told of a panic by itself.
            let _ = thread.join();
        }
    }
}

/// The thread's side.
struct Watcher {
    device: wgpu::Device,
    inbox: Inbox,
    shared: Arc<Shared>,
}

impl Watcher {
    fn run(&self) {
        while let Some(request) = self.next_request() {
            self.wait(request);
            self.inbox.wake();
        }
    }

    /// `None` when nobody will ask any more.
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

impl Drop for Watcher {
    fn drop(&mut self) {
        if thread::panicking() {
            self.inbox.lose("wgpu panicked while waiting".to_owned());
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
            let watch = Watch::start(&device, &Inbox::default()).unwrap();
            (0..requests).for_each(|_| watch.ask(all_submitted()));
            let shared = Arc::downgrade(&watch.shared);
            drop(watch);
            assert!(shared.upgrade().is_none(), "after {requests} requests");
        }
    }
}
