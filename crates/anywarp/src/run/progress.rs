//! A progress bar for what takes more than a second, when somebody watches.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::console;

/// How long a command may take before it shows that it is alive.
const PATIENCE: Duration = Duration::from_secs(1);

/// How often something that does not say how far it is shows that it goes on.
const BEAT: Duration = Duration::from_millis(100);

/// Hidden at first; indicatif keeps it hidden when stderr is no terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
}

impl Progress {
    /// For `runs` runs; of one run nothing is known but that it goes on.
    pub(crate) fn new(runs: u64) -> Self {
        Self::of(runs, "runs")
    }

    /// For several of something.
    pub(crate) fn of(count: u64, things: &str) -> Self {
        let template = if count > 1 {
            format!("{{bar:40}} {{human_pos}}/{{human_len}} {things}, {{elapsed}}, {{eta}} to go")
        } else {
            "{spinner} running, {elapsed}".to_owned()
        };
        let style = ProgressStyle::with_template(&template)
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::hidden());
        Self {
            bar: bar.with_style(style),
            started: Instant::now(),
        }
    }

    /// To be called now and then while waiting.
    pub(crate) fn tick(&self) {
        let is_late = self.started.elapsed() > PATIENCE;
        if self.bar.is_hidden() && is_late && !console::is_quiet() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.tick();
    }

    /// Calls what cannot tick by itself, and ticks meanwhile.
    pub(crate) fn during<R>(&self, work: impl FnOnce() -> R) -> R {
        let (done, waits) = channel::<()>();
        thread::scope(|scope| {
            scope.spawn(move || {
                while waits.recv_timeout(BEAT) == Err(RecvTimeoutError::Timeout) {
                    self.tick();
                }
            });
            let result = work();
            drop(done);
            result
        })
    }

    /// Lets a message through.
    pub(crate) fn suspend(&self, say: impl FnOnce()) {
        self.bar.suspend(say);
    }

    /// Some more runs are done.
    pub(crate) fn advance(&self, runs: u64) {
        self.bar.inc(runs);
        self.tick();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_stays_hidden_for_a_second() {
        let progress = Progress::new(1);
        assert_eq!(progress.during(|| 7), 7);
        progress.tick();
        assert!(progress.bar.is_hidden());
    }
}
