//! Runs one body on one input in this process, and measures it.
//!
//! In: a target and bytes. Out: a [`Report`]. A caught panic is a finding. Findings that end the process are detected
//! by the [`Supervisor`](super::Supervisor), or by libFuzzer.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use anywarp_program::panic_message;

use super::finding::{Finding, Kind};
use super::limits::Limits;
use super::stages::Stages;
use super::targets::Target;
use super::verdict::{Report, Verdict};

/// Runs a body and measures it.
pub fn measure(target: &Target, input: &[u8], stages: &Stages) -> Report {
    let caught = catch_unwind(AssertUnwindSafe(|| (target.body)(input, stages)));
    let last = stages.last();
    let (excess, longest, largest) = stages.finish();
    let verdict = match (caught, excess) {
        (Ok(verdict @ Verdict::Wrong(_)), _) => verdict,
        (Err(panic), _) => Verdict::Wrong(Finding::new(Kind::Panic, last, panic_message(&*panic))),
        (Ok(_), Some(finding)) => Verdict::Wrong(finding),
        (Ok(verdict), None) => verdict,
    };
    Report {
        verdict,
        seconds: longest.as_secs_f64(),
        bytes: largest,
    }
}

/// The slowdown of code that is instrumented for libFuzzer.
const INSTRUMENTATION: u32 = 16;

/// Runs a body for libFuzzer: a finding ends the process.
///
/// libFuzzer's panic hook ends the process at every panic. Anywarp catches panics of naga and reports them as errors,
/// so the hook is removed; uncaught panics become findings here.
///
/// # Panics
///
/// If there is no target of that name.
pub fn assert_no_finding(name: &str, input: &[u8]) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| drop(std::panic::take_hook()));
    let target = Target::named(name).expect("a fuzz target has a body of the same name");
    let mut limits = Limits::SHARE.scaled_to(input.len());
    limits.time *= INSTRUMENTATION;
    let stages = Stages::new(limits);
    if let Verdict::Wrong(finding) = measure(target, input, &stages).verdict {
        report(name, &finding);
        std::process::abort();
    }
}

#[allow(clippy::print_stderr, reason = "libFuzzer shows what a target prints")]
fn report(name: &str, finding: &Finding) {
    eprintln!("{name}: {finding}");
}
