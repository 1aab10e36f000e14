//! A progress bar on stderr, if that is a terminal, for commands that take more than a second.
//!
//! It counts runs. Within a run on the CPU it also shows how many workgroups have finished.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anywarp_adapter::Progress as Workgroups;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::console;

/// The time after which the progress bar appears.
const PATIENCE: Duration = Duration::from_secs(1);

/// The interval at which the bar is redrawn during work that reports no progress.
const BEAT: Duration = Duration::from_millis(100);

/// The style for a single run whose number of workgroups is known.
const WORKGROUPS: &str = "{bar:40} {percent}% of {human_len} workgroups, {elapsed}, {eta} to go";

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Rounded down: 100% is shown only after all work is done.
fn percent(finished: u64, total: u64) -> u64 {
    (u128::from(finished) * 100 / u128::from(total.max(1))) as u64
}

/// Hidden at first; indicatif keeps it hidden if stderr is not a terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
    runs: u64,
}

impl Progress {
    /// A progress bar for `runs` runs.
    pub(crate) fn new(runs: u64) -> Self {
        Self::of(runs, "runs")
    }

    /// A progress bar for `count` items with the name `things`.
    pub(crate) fn of(count: u64, things: &str) -> Self {
        let template = if count > 1 {
            format!(
                "{{bar:40}} {{human_pos}}/{{human_len}} {things}{{msg}}, {{elapsed}}, {{eta}} to go"
            )
        } else {
            "{spinner} running, {elapsed}".to_owned()
        };
        let bar = ProgressBar::with_draw_target(Some(count), ProgressDrawTarget::hidden());
        Self {
            bar: bar.with_style(style(&template)),
            started: Instant::now(),
            runs: count,
        }
    }

    /// Redraws the bar; called regularly while waiting.
    pub(crate) fn tick(&self) {
        let is_late = self.started.elapsed() > PATIENCE;
        if self.bar.is_hidden() && is_late && !console::is_quiet() {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.tick();
    }

    /// Updates the bar during a run with the number of finished workgroups, if known.
    pub(crate) fn tick_in_run(&self, workgroups: Option<Workgroups>) {
        if let Some(Workgroups { finished, total }) =
            workgroups.filter(|workgroups| workgroups.total > 1)
        {
            if self.runs > 1 {
                let percent = percent(finished, total);
                self.bar.set_message(format!(" ({percent}% of a run)"));
            } else {
                if self.bar.length() != Some(total) {
                    self.bar.set_length(total);
                    self.bar.set_style(style(WORKGROUPS));
                }
                self.bar.set_position(finished);
            }
        }
        self.tick();
    }

    /// Calls `work`, which reports no progress, and redraws the bar meanwhile.
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

    /// Hides the bar while `say` prints a message.
    pub(crate) fn suspend(&self, say: impl FnOnce()) {
        self.bar.suspend(say);
    }

    /// Adds finished runs.
    pub(crate) fn advance(&self, runs: u64) {
        self.bar.set_message("");
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

    /// A long dispatch shows how many of its workgroups have finished.
    #[test]
    fn the_workgroups_of_a_run_are_shown() {
        let workgroups = |finished| {
            let total = 25_000;
            Some(Workgroups { finished, total })
        };
        let one = Progress::new(1);
        one.tick_in_run(None);
        assert_eq!((one.bar.position(), one.bar.length()), (0, Some(1)));
        one.tick_in_run(workgroups(6_965));
        assert_eq!(
            (one.bar.position(), one.bar.length()),
            (6_965, Some(25_000))
        );
        let several = Progress::new(3);
        several.advance(1);
        several.tick_in_run(workgroups(6_965));
        assert_eq!((several.bar.position(), several.bar.length()), (1, Some(3)));
        assert_eq!(several.bar.message(), " (27% of a run)");
        several.advance(1);
        assert_eq!(several.bar.message(), "");
    }
}
