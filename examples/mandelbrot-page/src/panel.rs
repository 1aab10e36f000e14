//! The status panel: progress of the computation, and errors.

use mandelbrot::Progress;
use web_sys::{Element, HtmlElement};

use crate::dom::{self, Missing};
use crate::settings::Settings;

pub(crate) struct Panel {
    message: HtmlElement,
    bar: HtmlElement,
}

impl Panel {
    pub(crate) fn new() -> Result<Self, Missing> {
        Ok(Self {
            message: dom::element("message")?,
            bar: dom::element("bar")?,
        })
    }

    /// Shows an error, and sets `data-state` to `failed`.
    pub(crate) fn fail(&self, message: &str) {
        self.message.set_text_content(Some(message));
        self.message.set_hidden(false);
        dom::tell("state", "failed");
    }

    /// Shows that a computation is running.
    pub(crate) fn run(&self) {
        self.message.set_hidden(true);
        dom::tell("state", "running");
    }

    /// Shows that the picture is complete.
    pub(crate) fn finish(&self, checksum: u32) {
        let checksum = format!("{checksum:08x}");
        write("checksum", &checksum);
        dom::tell("checksum", &checksum);
        dom::tell("state", "done");
    }

    pub(crate) fn show_adapter(&self, name: &str) {
        write("adapter", name);
    }

    pub(crate) fn show_view(&self, settings: &Settings) {
        let (re, im) = settings.view.centre();
        write("re", &re);
        write("im", &im);
        write("width", &settings.view.width());
        write("checksum", "");
    }

    pub(crate) fn show_progress(&self, progress: &Progress, batches_per_second: f64) {
        let Progress {
            iterations,
            limit,
            known,
            pixels,
            batches,
            retries,
            collisions,
            ..
        } = progress;
        write("method", &progress.method.to_string());
        write(
            "iterations",
            &format!("{} of {}", grouped(*iterations), grouped(*limit)),
        );
        write(
            "pixels",
            &format!("{} of {}", grouped(*known), grouped(*pixels)),
        );
        write(
            "batches",
            &format!("{batches}, {batches_per_second:.0} per second"),
        );
        write("retries", &format!("{retries}, {collisions} collisions"));
        let share = share(progress) * 100.0;
        let _ = self
            .bar
            .style()
            .set_property("width", &format!("{share:.1}%"));
        dom::tell("epoch", &progress.epoch.to_string());
        dom::tell("batches", &batches.to_string());
    }
}

/// The fraction of work done: of iterations, which take most of the time, or of pixels if that is larger.
fn share(progress: &Progress) -> f64 {
    let part = |done: u32, all: u32| f64::from(done) / f64::from(all.max(1));
    let iterations = part(progress.iterations, progress.limit);
    if progress.is_done {
        1.0
    } else {
        iterations
            .max(part(progress.known, progress.pixels))
            .min(1.0)
    }
}

fn write(id: &str, text: &str) {
    if let Ok(element) = dom::element::<Element>(id) {
        element.set_text_content(Some(text));
    }
}

/// Groups digits by narrow spaces: `1234567` as `1 234 567`.
fn grouped(number: u32) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}
