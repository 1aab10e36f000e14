//! A progress bar for what takes more than a second, when somebody watches.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long a command may take before it shows that it is alive.
const PATIENCE: Duration = Duration::from_secs(1);

/// Hidden at first; indicatif keeps it hidden when stderr is no terminal.
pub(super) struct Progress {
    bar: ProgressBar,
    started: Instant,
}

impl Progress {
    /// For `runs` runs; of one run nothing is known but that it goes on.
    pub(super) fn new(runs: u64) -> Self {
        let template = if runs > 1 {
            "{bar:40} {human_pos}/{human_len} runs, {elapsed}, {eta} to go"
        } else {
            "{spinner} running, {elapsed}"
        };
        let style =
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(Some(runs), ProgressDrawTarget::hidden());
        Self {
            bar: bar.with_style(style),
            started: Instant::now(),
        }
    }

    /// To be called now and then while waiting.
    pub(super) fn tick(&self) {
        if self.bar.is_hidden() && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.tick();
    }

    /// Some more runs are done.
    pub(super) fn advance(&self, runs: u64) {
        self.bar.inc(runs);
        self.tick();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
