//! Fences: a monotone counter that threads can wait for.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a waiter spins before it sleeps: short submissions end within this time, and waking a thread would take
/// longer.
const SPIN: Duration = Duration::from_micros(20);

/// A counter that the queue raises when submissions end. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fence {
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    value: AtomicU64,
    sleepers: Mutex<()>,
    raised: Condvar,
}

impl Fence {
    /// The highest signalled value.
    pub(crate) fn value(&self) -> u64 {
        self.state.value.load(Ordering::Acquire)
    }

    /// Raises the value and wakes waiting threads.
    pub(crate) fn signal(&self, value: u64) {
        // The lock ensures that no thread falls asleep between reading the value and waiting.
        let guard = self.lock();
        self.state.value.fetch_max(value, Ordering::Release);
        drop(guard);
        self.state.raised.notify_all();
    }

    /// Waits for a value, forever or up to a timeout. Returns whether it was reached.
    pub(crate) fn wait(&self, value: u64, timeout: Option<Duration>) -> bool {
        let begin = Instant::now();
        let spin = timeout.map_or(SPIN, |timeout| timeout.min(SPIN));
        while self.value() < value {
            if begin.elapsed() >= spin {
                // A deadline beyond the range of the clock means no deadline.
                let deadline = timeout.and_then(|timeout| begin.checked_add(timeout));
                return self.sleep(value, deadline);
            }
            std::hint::spin_loop();
        }
        true
    }

    fn sleep(&self, value: u64, deadline: Option<Instant>) -> bool {
        let mut guard = self.lock();
        while self.value() < value {
            guard = match deadline {
                None => self
                    .state
                    .raised
                    .wait(guard)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(deadline) => {
                    let rest = deadline.saturating_duration_since(Instant::now());
                    if rest.is_zero() {
                        return false;
                    }
                    let waited = self.state.raised.wait_timeout(guard, rest);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        // The lock guards no data, so a panic elsewhere cannot have left any half-written.
        self.state
            .sleepers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_until_the_value_is_reached() {
        let fence = Fence::default();
        let other = fence.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(5));
            other.signal(1);
            other.signal(3);
            other.signal(2);
        });
        assert!(fence.wait(3, None));
        thread.join().unwrap();
        assert_eq!(fence.value(), 3, "a lower value has no effect");
    }

    #[test]
    fn gives_up_in_time() {
        let fence = Fence::default();
        assert!(!fence.wait(1, Some(Duration::from_millis(2))));
        assert!(!fence.wait(1, Some(Duration::ZERO)));
        assert!(fence.wait(0, Some(Duration::ZERO)));
        fence.signal(1);
        assert!(fence.wait(1, Some(Duration::MAX)));
    }
}
