//! The worker process, which runs bodies.
//!
//! In: requests on standard input, each a line of JSON followed by the input's bytes. Out: for each the names of its
//! stages as they begin, one per line, and a last line of JSON, a [`Report`]. A monitor thread ends the process if a
//! stage exceeds its limits and does not end, after writing the report. What always holds: one input runs at a time.

use std::io::{BufRead, Read, Write, stdin, stdout};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::finding::Finding;
use super::limits::Limits;
use super::measure::measure;
use super::memory;
use super::stages::Stages;
use super::targets::Target;
use super::verdict::{Report, Verdict};

/// The polling interval of the monitor.
const INTERVAL: Duration = Duration::from_millis(25);

/// Allocations fail above this multiple of the memory limit: the monitor is too slow for a single large one.
const CAP: u64 = 4;

/// An input to run.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(crate) target: String,
    pub(crate) limits: Limits,
    pub(crate) length: usize,
}

/// Answers requests until standard input ends.
pub fn serve() -> Result<()> {
    // Panics are reported as findings.
    std::panic::set_hook(Box::new(|_| {}));
    let current: Arc<Mutex<Option<Arc<Stages>>>> = Arc::default();
    let watched = Arc::clone(&current);
    std::thread::spawn(move || monitor(&watched));
    let mut input = stdin().lock();
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let request: Request = serde_json::from_str(&line)?;
        line.clear();
        let mut bytes = vec![0; request.length];
        input.read_exact(&mut bytes)?;
        let target = Target::named(&request.target)
            .with_context(|| format!("no target is called `{}`", request.target))?;
        let stages = Arc::new(Stages::announced(request.limits, announce));
        let cap = request.limits.bytes.saturating_mul(CAP);
        memory::set_cap(memory::live().saturating_add(usize::try_from(cap)?));
        set(&current, Some(Arc::clone(&stages)));
        let report = measure(target, &bytes, &stages);
        set(&current, None);
        memory::set_cap(usize::MAX);
        reply(&report)?;
    }
    Ok(())
}

fn set(current: &Mutex<Option<Arc<Stages>>>, stages: Option<Arc<Stages>>) {
    *current.lock().unwrap_or_else(PoisonError::into_inner) = stages;
}

/// Tells the supervisor which stage begins, so that it knows the stage of a crash.
fn announce(stage: &str) {
    let mut out = stdout().lock();
    // The supervisor may have ended.
    let _ = writeln!(out, "{stage}").and_then(|()| out.flush());
}

fn reply(report: &Report) -> Result<()> {
    let mut out = stdout().lock();
    serde_json::to_writer(&mut out, report)?;
    out.write_all(b"\n")?;
    Ok(out.flush()?)
}

fn monitor(current: &Mutex<Option<Arc<Stages>>>) {
    loop {
        std::thread::sleep(INTERVAL);
        let guard = current.lock().unwrap_or_else(PoisonError::into_inner);
        // The lock is held until the process ends, so that no second report is written.
        if let Some(finding) = guard.as_ref().and_then(|stages| stages.excess()) {
            end(finding);
        }
    }
}

fn end(finding: Finding) {
    memory::set_cap(usize::MAX);
    let report = Report {
        verdict: Verdict::Wrong(finding),
        seconds: 0.0,
        bytes: 0,
    };
    // The process must end whether or not the report can be written.
    let _ = reply(&report);
    // SAFETY: it ends the process without running destructors, which would wait for the stage.
    unsafe { libc::_exit(3) };
}
