//! The loss of a device: it happens once, and it has a reason.
//!
//! The queue's thread records it. From then on its jobs only signal their fences, mapping fails, and the next poll or
//! submit informs wgpu-core (through `check_if_oom`, the only query that it makes after it has resolved pending work;
//! an error from a wait would make `wgpu::Device::poll` panic).
//!
//! wgpu-core passes a fixed text to the program's device-lost callback ("Device is lost"), because the error type of a
//! HAL cannot carry more. So the reason is written to the log, or to standard error if no logger accepts errors of this
//! module.

use std::io::{Write, stderr};
use std::panic::catch_unwind;
use std::sync::OnceLock;

use wgpu::hal::DeviceError;

use crate::LostReason;
use crate::options::LossReport;

/// Whether a device is lost, and why.
#[derive(Debug, Default)]
pub(crate) struct DeviceLoss {
    reason: OnceLock<LostReason>,
    report: LossReport,
}

impl DeviceLoss {
    pub(crate) fn new(report: LossReport) -> Self {
        Self {
            reason: OnceLock::new(),
            report,
        }
    }

    /// Loses the device. Only the first reason is kept.
    pub(crate) fn lose(&self, reason: LostReason) {
        let message = reason.to_string();
        if self.reason.set(reason).is_ok() {
            // A logger is the user's code. If it panics, the queue's thread must continue, because others wait for its
            // fences.
            let is_logged = catch_unwind(|| {
                log::error!("CPU device lost: {message}");
                is_logged()
            });
            let is_logged = is_logged.unwrap_or(false);
            if !is_logged && self.report == LossReport::LogOrStderr {
                // A closed standard error is ignored.
                let _ = writeln!(stderr(), "anywarp: CPU device lost: {message}");
            }
        }
    }

    /// The reason, once the device is lost.
    pub(crate) fn reason(&self) -> Option<LostReason> {
        self.reason.get().cloned()
    }

    /// An error once the device is lost.
    pub(crate) fn check(&self) -> Result<(), DeviceError> {
        match self.reason.get() {
            Some(_) => Err(DeviceError::Lost),
            None => Ok(()),
        }
    }
}

/// Whether a logger accepts errors of this module; one with a filter for other targets drops them.
fn is_logged() -> bool {
    log::log_enabled!(log::Level::Error)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// Whether the logger drops what this thread logs, as one with a filter for other targets does.
        static DROPS: Cell<bool> = const { Cell::new(false) };
    }

    const FATAL: &str = "the logger panics at this";

    /// Panics at one message, and only at that one: the logger is the same for all tests.
    struct Panicking;

    impl log::Log for Panicking {
        fn enabled(&self, _: &log::Metadata<'_>) -> bool {
            !DROPS.get()
        }
        fn log(&self, record: &log::Record<'_>) {
            assert!(!record.args().to_string().contains(FATAL));
        }
        fn flush(&self) {}
    }

    #[test]
    fn a_logger_may_panic_or_drop_the_reason() {
        log::set_logger(&Panicking).unwrap();
        log::set_max_level(log::LevelFilter::Error);
        let loss = DeviceLoss::default();
        loss.lose(LostReason::Internal(FATAL.to_owned()));
        loss.lose(LostReason::Internal("another reason".to_owned()));
        let first = LostReason::Internal(FATAL.to_owned());
        assert_eq!(loss.reason(), Some(first));
        assert_eq!(loss.check(), Err(DeviceError::Lost));
        assert!(is_logged());
        DROPS.set(true);
        assert!(!is_logged());
    }
}
