//! The clock for timeouts. The standard library has no clock in a browser.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// A monotonic clock: returns the time since a fixed moment.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Duration + Send + Sync>);

impl Clock {
    /// A clock that calls a function, such as a browser's `performance.now()`.
    pub fn new(now: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The platform's monotonic clock, where the standard library has one.
    pub fn system() -> Option<Self> {
        #[cfg(target_family = "wasm")]
        return None;
        #[cfg(not(target_family = "wasm"))]
        {
            let begin = std::time::Instant::now();
            Some(Self::new(move || begin.elapsed()))
        }
    }

    pub(crate) fn now(&self) -> Duration {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Clock").field(&self.now()).finish()
    }
}
