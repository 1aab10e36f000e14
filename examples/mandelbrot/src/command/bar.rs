//! The progress bar: finished pixels, iterations, batches per second, retries.

use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use mandelbrot::Progress;

/// A progress bar. indicatif hides it if stderr is not a terminal.
pub(crate) struct Bar {
    bar: ProgressBar,
    begin: Instant,
}

impl Bar {
    pub(crate) fn new(pixels: u32) -> Self {
        let bar = ProgressBar::new(u64::from(pixels));
        let template = "{bar:20} {percent:>3}% {wide_msg}";
        // The template is a valid constant; otherwise the default style would be used.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let begin = Instant::now();
        Self { bar, begin }
    }

    pub(crate) fn show(&self, progress: &Progress) {
        let rate = progress.batches as f64 / self.begin.elapsed().as_secs_f64().max(1e-3);
        self.bar.set_position(u64::from(progress.known));
        self.bar.set_message(format!(
            "{}/{} iterations, {rate:.1} batches/s, {} retries, {}",
            progress.iterations, progress.limit, progress.retries, progress.method,
        ));
    }

    pub(crate) fn end(&self) {
        self.bar.finish_and_clear();
    }
}
