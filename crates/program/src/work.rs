//! Work limits for compilers and translators.
//!
//! In: [`WorkLimits`], and one [`Meter::tick`] per unit of work. Out: [`OverBudget`] at the first tick over a limit.
//! Output can be exponentially larger than its source (inlined calls, nested constants), so each step that may
//! duplicate code ticks before it does so.
//!
//! What always holds: steps and bytes are counted, not timed, so the result is the same on every machine. The time
//! limit is a backstop: the clock is read once per `STEPS_PER_CLOCK` steps, and only if there is a time limit.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Steps between two reads of the clock.
const STEPS_PER_CLOCK: u64 = 1 << 14;

/// Limits on the work for one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct WorkLimits {
    /// Units of work: a statement lowered, an instruction visited by a pass, an expression written.
    pub steps: u64,
    /// Bytes of output, and of data structures whose size the program chooses.
    pub bytes: u64,
    /// Time since the meter was created.
    pub time: Option<Duration>,
}

impl WorkLimits {
    /// No limits.
    pub const UNLIMITED: Self = Self {
        steps: u64::MAX,
        bytes: u64::MAX,
        time: None,
    };

    /// The default limits of translators. Shaders have some hundred kilobytes; no program's translation takes more than
    /// this.
    pub const TRANSLATION: Self = Self {
        steps: 1 << 28,
        bytes: 64 << 20,
        time: None,
    };

    /// Sets the limit on steps.
    #[must_use]
    pub const fn with_steps(self, steps: u64) -> Self {
        Self { steps, ..self }
    }

    /// Sets the limit on bytes.
    #[must_use]
    pub const fn with_bytes(self, bytes: u64) -> Self {
        Self { bytes, ..self }
    }

    /// Sets the limit on time.
    #[must_use]
    pub const fn with_time(self, time: Option<Duration>) -> Self {
        Self { time, ..self }
    }
}

/// Counts the work for one program, on any number of threads.
#[derive(Debug)]
pub struct Meter {
    limits: WorkLimits,
    steps: AtomicU64,
    bytes: AtomicU64,
    begin: Option<Instant>,
}

impl OverBudget {
    /// The command-line option that raises the limit.
    pub fn option(&self) -> &'static str {
        match self {
            Self::Steps(_) => "--max-steps",
            Self::Bytes(_) => "--max-bytes",
            Self::Time(_) => "--max-time",
        }
    }
}

/// Saturating atomic addition; returns the counts before and after.
fn add(count: &AtomicU64, more: u64) -> (u64, u64) {
    let before = count.fetch_add(more, Ordering::Relaxed);
    let after = before.checked_add(more);
    if after.is_none() {
        count.store(u64::MAX, Ordering::Relaxed);
    }
    (before, after.unwrap_or(u64::MAX))
}

impl Meter {
    /// A meter at zero.
    pub fn new(limits: WorkLimits) -> Self {
        Self {
            limits,
            steps: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            begin: limits.time.map(|_| Instant::now()),
        }
    }

    /// A meter without limits.
    pub fn unlimited() -> Self {
        Self::new(WorkLimits::UNLIMITED)
    }

    /// Counts steps before the work is done.
    pub fn tick(&self, steps: u64) -> Result<(), OverBudget> {
        let (before, after) = add(&self.steps, steps);
        if after > self.limits.steps {
            return Err(OverBudget::Steps(self.limits.steps));
        }
        if before / STEPS_PER_CLOCK != after / STEPS_PER_CLOCK {
            return self.check_time();
        }
        Ok(())
    }

    /// Counts bytes before they are allocated or written.
    pub fn allocate(&self, bytes: u64) -> Result<(), OverBudget> {
        if add(&self.bytes, bytes).1 > self.limits.bytes {
            return Err(OverBudget::Bytes(self.limits.bytes));
        }
        Ok(())
    }

    /// Fails if fewer bytes than these are left. For reused memory, which is not counted.
    pub fn has_bytes(&self, bytes: u64) -> Result<(), OverBudget> {
        if self.bytes().saturating_add(bytes) > self.limits.bytes {
            return Err(OverBudget::Bytes(self.limits.bytes));
        }
        Ok(())
    }

    /// Resets the counts, for work that is done again from the start. The time limit keeps running.
    pub fn restart(&self) {
        self.steps.store(0, Ordering::Relaxed);
        self.bytes.store(0, Ordering::Relaxed);
    }

    /// Fails if the time limit has passed. For loops whose steps are not counted one by one.
    pub fn check_time(&self) -> Result<(), OverBudget> {
        let (Some(begin), Some(limit)) = (self.begin, self.limits.time) else {
            return Ok(());
        };
        if begin.elapsed() > limit {
            return Err(OverBudget::Time(limit));
        }
        Ok(())
    }

    /// Steps counted so far.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Steps left until the limit.
    pub fn steps_left(&self) -> u64 {
        self.limits.steps.saturating_sub(self.steps())
    }

    /// Bytes counted so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

/// A [`fmt::Write`] that stops at the limits of a meter; each piece written is a step.
///
/// Text over a limit is neither stored nor formatted: the first piece over it gets an error.
#[derive(Debug)]
pub struct MeteredText {
    text: String,
    meter: Meter,
    over: Option<OverBudget>,
}

impl MeteredText {
    /// An empty text with a meter at zero.
    pub fn new(limits: WorkLimits) -> Self {
        Self {
            text: String::new(),
            meter: Meter::new(limits),
            over: None,
        }
    }

    /// The text so far, and the limit that it exceeded, if any.
    pub fn finish(self) -> (String, Option<OverBudget>) {
        (self.text, self.over)
    }
}

impl fmt::Write for MeteredText {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let counted = self.meter.tick(1);
        let counted = counted.and_then(|()| self.meter.allocate(piece.len() as u64));
        if let Err(over) = counted {
            self.over.get_or_insert(over);
            return Err(fmt::Error);
        }
        self.text.push_str(piece);
        Ok(())
    }
}

/// A work limit that was exceeded. The caller adds the function or declaration in question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OverBudget {
    /// Too many steps.
    #[error("more than {0} steps of work")]
    Steps(u64),
    /// Too many bytes.
    #[error("more than {0} bytes")]
    Bytes(u64),
    /// Too much time.
    #[error("more than {0:?}")]
    Time(Duration),
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    #[test]
    fn the_first_tick_past_a_limit_is_an_error() {
        let meter = Meter::new(WorkLimits::UNLIMITED.with_steps(10).with_bytes(4));
        assert_eq!(meter.tick(10), Ok(()));
        assert_eq!(meter.tick(1), Err(OverBudget::Steps(10)));
        assert_eq!(meter.has_bytes(5), Err(OverBudget::Bytes(4)));
        assert_eq!(meter.has_bytes(4), Ok(()));
        assert_eq!(meter.allocate(4), Ok(()));
        assert_eq!(meter.has_bytes(1), Err(OverBudget::Bytes(4)));
        assert_eq!(meter.allocate(u64::MAX), Err(OverBudget::Bytes(4)));
    }

    #[test]
    fn text_is_kept_up_to_the_limit() {
        let mut text = MeteredText::new(WorkLimits::UNLIMITED.with_bytes(4));
        assert!(text.write_str("void").is_ok());
        assert!(text.write_str("x").is_err());
        assert!(text.write_str("").is_err());
        assert_eq!(
            text.finish(),
            ("void".to_owned(), Some(OverBudget::Bytes(4)))
        );
    }

    #[test]
    fn the_clock_is_read_now_and_then() {
        let limit = Duration::ZERO;
        let meter = Meter::new(WorkLimits::UNLIMITED.with_time(Some(limit)));
        assert_eq!(meter.tick(1), Ok(()));
        assert_eq!(meter.tick(STEPS_PER_CLOCK), Err(OverBudget::Time(limit)));
        assert_eq!(Meter::unlimited().tick(u64::MAX), Ok(()));
    }
}
