//! Outcomes of batches, and the queue in which they wait to be collected.
//!
//! The queue is shared by the runner, device callbacks and waiting tasks. It also holds the tasks'
//! wakers and the message of a lost device.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};

use crate::error::Failed;
use crate::schedule::BatchId;

/// A batch that was applied, exactly once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completed<R = Vec<Vec<u8>>> {
    /// The batch.
    pub id: BatchId,
    /// Its results: as bytes, one entry for each range of the descriptor.
    pub results: R,
    /// How many times it was skipped before it was applied.
    pub retries: u32,
}

/// The outcome of a batch: applied or failed.
pub type Outcome<R = Vec<Vec<u8>>> = Result<Completed<R>, Failed>;

#[derive(Debug, Default)]
struct State {
    outcomes: VecDeque<Outcome>,
    wakers: BTreeMap<Listener, Waker>,
    next_listener: u64,
    loss: Option<String>,
    /// The runner was dropped: there will be no further outcomes.
    is_closed: bool,
}

/// A waiting task. Each has at most one waker, the latest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Listener {
    Runner,
    Other(u64),
}

/// State that the runner shares with device callbacks and waiting tasks.
#[derive(Clone, Debug, Default)]
pub(crate) struct OutcomeQueue(Arc<Mutex<State>>);

impl OutcomeQueue {
    fn state(&self) -> MutexGuard<'_, State> {
        // A poisoned lock is harmless: no code panics while it is held.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn push(&self, outcome: Outcome) {
        self.state().outcomes.push_back(outcome);
        self.wake();
    }

    pub(crate) fn pop(&self) -> Option<Outcome> {
        self.state().outcomes.pop_front()
    }

    pub(crate) fn len(&self) -> usize {
        self.state().outcomes.len()
    }

    pub(crate) fn clear(&self) {
        self.state().outcomes.clear();
    }

    pub(crate) fn close(&self) {
        self.state().is_closed = true;
        self.wake();
    }

    pub(crate) fn lose(&self, message: String) {
        self.state().loss.get_or_insert(message);
        self.wake();
    }

    pub(crate) fn loss(&self) -> Option<String> {
        self.state().loss.clone()
    }

    pub(crate) fn register(&self, listener: Listener, waker: &Waker) {
        self.state().wakers.insert(listener, waker.clone());
    }

    fn forget(&self, listener: Listener) {
        self.state().wakers.remove(&listener);
    }

    fn new_listener(&self) -> Listener {
        let mut state = self.state();
        state.next_listener += 1;
        Listener::Other(state.next_listener)
    }

    /// Wakes all waiting tasks after unlocking the state, since a woken task may read it at once.
    pub(crate) fn wake(&self) {
        let wakers = std::mem::take(&mut self.state().wakers);
        wakers.into_values().for_each(Waker::wake);
    }
}

/// A handle to a runner's outcomes for code that does not own the runner; it outlives the runner.
///
/// Each outcome is delivered once, to the first caller here or at the runner. The runner must still
/// be driven by its `poll`, `next` or `wait`.
#[derive(Clone, Debug)]
pub struct Outcomes(pub(crate) OutcomeQueue);

impl Outcomes {
    /// The next outcome, if one is available.
    pub fn try_next(&self) -> Option<Outcome> {
        self.0.pop()
    }

    /// Waits for the next outcome; `None` once the runner is dropped and everything is collected.
    pub async fn next(&self) -> Option<Outcome> {
        let waiting = Waiting {
            outcome_queue: &self.0,
            listener: self.0.new_listener(),
        };
        std::future::poll_fn(|context| {
            self.0.register(waiting.listener, context.waker());
            match self.0.pop() {
                Some(outcome) => Poll::Ready(Some(outcome)),
                None if self.0.state().is_closed => Poll::Ready(None),
                None => Poll::Pending,
            }
        })
        .await
    }
}

/// A registered waker, removed on drop: a task that stops waiting leaves no waker registered.
struct Waiting<'a> {
    outcome_queue: &'a OutcomeQueue,
    listener: Listener,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.outcome_queue.forget(self.listener);
    }
}

/// Reports the loss of the device to a runner.
///
/// The runner notices a loss when a mapping fails. This handle is for code that knows earlier, such
/// as the callback of [`wgpu::Device::set_device_lost_callback`].
#[derive(Clone, Debug)]
pub struct LossNotifier(pub(crate) OutcomeQueue);

impl LossNotifier {
    /// Fails every pending batch with this message.
    pub fn notify(&self, message: impl Into<String>) {
        self.0.lose(message.into());
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Waker};

    use super::{OutcomeQueue, Outcomes};

    #[test]
    fn who_stops_waiting_leaves_no_waker_behind() {
        let outcomes = Outcomes(OutcomeQueue::default());
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..3 {
            let mut first = pin!(outcomes.next());
            let mut second = pin!(outcomes.next());
            for _ in 0..3 {
                assert!(first.as_mut().poll(&mut context).is_pending());
                assert!(second.as_mut().poll(&mut context).is_pending());
                assert_eq!(outcomes.0.state().wakers.len(), 2);
            }
        }
        assert_eq!(outcomes.0.state().wakers.len(), 0);
    }
}
