//! A fuzzing campaign: runs all targets in rotation, on all cores, for a given time.
//!
//! In: [`Options`]. Out: a [`Summary`], and a folder with the input, the reason and a readable form of each finding.
//! Input number N of a target is a function of the campaign's seed, the target and N ([`input`]), so the seed
//! reproduces all inputs that were run. Findings with the same signature are counted, and the first few are stored.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::finding::Finding;
use super::limits::Limits;
use super::reduce::reduce;
use super::supervisor::Supervisor;
use super::targets::Target;
use super::verdict::{Report, Verdict};

/// The time slice of a target.
const TURN: Duration = Duration::from_secs(2);

/// The number of findings with one signature that are stored.
const KEPT: u64 = 3;

/// The longest time to reduce an input, and the longest run of an input that is reduced.
const REDUCING: Duration = Duration::from_secs(30);
const WORTH_REDUCING: Duration = Duration::from_secs(2);

/// The options of a campaign.
#[derive(Debug)]
pub struct Options {
    /// Wall-clock time.
    pub time: Duration,
    /// The most inputs of each target.
    pub inputs: Option<u64>,
    /// The seed of all inputs.
    pub seed: u64,
    /// The targets.
    pub targets: Vec<&'static Target>,
    /// The number of processes at once.
    pub threads: usize,
    /// The program that is a worker if its argument is `worker`, and describes an input with `describe TARGET FILE`.
    pub worker: PathBuf,
    /// The folder for findings.
    pub folder: PathBuf,
}

/// The counters of one target.
#[derive(Debug, Default)]
struct Count {
    inputs: u64,
    accepted: u64,
    seconds: f64,
    longest: f64,
    largest: u64,
    findings: u64,
}

/// The results of a campaign.
#[derive(Debug, Default)]
pub struct Summary {
    counts: BTreeMap<&'static str, Count>,
    /// The number of findings by target and signature.
    signatures: BTreeMap<(&'static str, String), u64>,
}

impl Summary {
    /// The number of findings of all targets.
    pub fn findings(&self) -> u64 {
        self.counts.values().map(|count| count.findings).sum()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<12}{:>9}{:>10}{:>9}{:>12}{:>12}{:>10}",
            "target", "inputs", "accepted", "seconds", "longest s", "largest MB", "findings"
        )?;
        for (name, count) in &self.counts {
            writeln!(
                f,
                "{name:<12}{:>9}{:>10}{:>9.0}{:>12.2}{:>12}{:>10}",
                count.inputs,
                count.accepted,
                count.seconds,
                count.longest,
                count.largest >> 20,
                count.findings
            )?;
        }
        for ((name, signature), times) in &self.signatures {
            writeln!(f, "{times:>6} x {name}: {signature}")?;
        }
        Ok(())
    }
}

/// An input of a campaign.
pub fn input(target: &Target, seed: u64, number: u64) -> Vec<u8> {
    let name = target.name.bytes();
    let mixed = name.fold(seed, |all, byte| {
        all.wrapping_mul(31).wrapping_add(u64::from(byte))
    });
    target.generate(
        mixed
            .wrapping_mul(0x2545_f491_4f6c_dd1d)
            .wrapping_add(number),
    )
}

/// A running campaign.
struct Campaign<'a> {
    options: &'a Options,
    end: Instant,
    turn: AtomicUsize,
    /// The number of the next input of each target.
    next: Vec<AtomicU64>,
    is_over: AtomicBool,
    summary: Mutex<Summary>,
}

/// Runs a campaign.
///
/// # Errors
///
/// If a worker cannot be started, or a finding cannot be written.
pub fn soak(options: &Options) -> Result<Summary> {
    std::fs::create_dir_all(&options.folder)?;
    let campaign = Campaign {
        options,
        end: Instant::now() + options.time,
        turn: AtomicUsize::new(0),
        next: options.targets.iter().map(|_| AtomicU64::new(0)).collect(),
        is_over: AtomicBool::new(false),
        summary: Mutex::default(),
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.threads)
            .map(|_| scope.spawn(|| campaign.work()))
            .collect();
        let mut ends = threads.into_iter().map(|thread| thread.join());
        ends.try_for_each(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })?;
    Ok(campaign
        .summary
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner))
}

impl Campaign<'_> {
    /// Runs targets until the time is over, or every target has run all its inputs.
    fn work(&self) -> Result<()> {
        let mut supervisor = Supervisor::new(&self.options.worker, Limits::SHARE);
        let count = self.options.targets.len();
        let mut idle = 0;
        while !self.is_over.load(Ordering::Relaxed) && idle < count && Instant::now() < self.end {
            let place = self.turn.fetch_add(1, Ordering::Relaxed) % count;
            let done = self.turn_of(place, &mut supervisor).inspect_err(|_| {
                self.is_over.store(true, Ordering::Relaxed);
            })?;
            idle = if done == 0 { idle + 1 } else { 0 };
        }
        Ok(())
    }

    /// Runs a target for one time slice; returns the number of inputs that it ran.
    fn turn_of(&self, place: usize, supervisor: &mut Supervisor) -> Result<u64> {
        let target = self.options.targets[place];
        let end = self.end.min(Instant::now() + TURN);
        let mut done = 0;
        while Instant::now() < end {
            let number = self.next[place].fetch_add(1, Ordering::Relaxed);
            if self.options.inputs.is_some_and(|most| number >= most) {
                break;
            }
            let bytes = input(target, self.options.seed, number);
            let begin = Instant::now();
            let report = supervisor.run(target, &bytes)?;
            done += 1;
            let is_new = self.count(target, &report, begin.elapsed());
            if let (true, Verdict::Wrong(finding)) = (is_new, &report.verdict) {
                let is_quick = begin.elapsed() < WORTH_REDUCING;
                let small = if is_quick {
                    self.reduced(target, &bytes, finding, supervisor)
                } else {
                    bytes.clone()
                };
                self.keep(target, number, finding, &bytes, &small)?;
            }
        }
        Ok(done)
    }

    /// Counts a report; returns whether it is a finding that should be stored.
    fn count(&self, target: &'static Target, report: &Report, wall: Duration) -> bool {
        let mut summary = self.summary.lock().unwrap_or_else(PoisonError::into_inner);
        let count = summary.counts.entry(target.name).or_default();
        count.inputs += 1;
        count.accepted += u64::from(report.verdict == Verdict::Accepted);
        count.seconds += wall.as_secs_f64();
        count.longest = count.longest.max(report.seconds);
        count.largest = count.largest.max(report.bytes);
        let Some(finding) = report.verdict.finding() else {
            return false;
        };
        count.findings += 1;
        let key = (target.name, finding.signature());
        let times = summary.signatures.entry(key).or_default();
        *times += 1;
        *times <= KEPT
    }

    fn reduced(
        &self,
        target: &'static Target,
        bytes: &[u8],
        finding: &Finding,
        supervisor: &mut Supervisor,
    ) -> Vec<u8> {
        let deadline = self.end.min(Instant::now() + REDUCING);
        let signature = finding.signature();
        reduce(bytes, deadline, |shorter| {
            let report = supervisor.run(target, shorter);
            let found = report
                .ok()
                .and_then(|report| report.verdict.finding().map(Finding::signature));
            found.as_ref() == Some(&signature)
        })
    }

    /// Writes a finding: the input, the reduced input, the reason and a readable form.
    fn keep(
        &self,
        target: &Target,
        number: u64,
        finding: &Finding,
        bytes: &[u8],
        small: &[u8],
    ) -> Result<()> {
        let seed = self.options.seed;
        let name = format!("{}-{seed}-{number}", target.name);
        let path = |extension: &str| self.options.folder.join(format!("{name}.{extension}"));
        std::fs::write(path("input"), bytes)?;
        std::fs::write(path("small"), small)?;
        std::fs::write(path("reason"), format!("{finding}\n"))?;
        let described = Command::new(&self.options.worker)
            .args(["describe", target.name])
            .arg(path("small"))
            .output()
            .with_context(|| format!("{} did not start", self.options.worker.display()))?;
        std::fs::write(path("txt"), described.stdout)?;
        Ok(())
    }
}
