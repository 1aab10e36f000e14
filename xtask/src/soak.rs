//! `cargo xtask soak`: runs all fuzz bodies for some minutes, first with random inputs in worker processes, then with
//! coverage-guided inputs if cargo-fuzz is installed.
//!
//! In: the arguments of the chore. Out: two tables of counts; findings are stored in `target/soak/findings`, and any
//! finding is a failure. The work is done by the program `soak` of `tests` and by the targets of `fuzz/`, which are
//! compiled on demand.

use std::collections::VecDeque;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::command::{cargo, output, run};
use crate::test::target_folder;

/// The targets that coverage can guide; the input of the others is a seed.
const GUIDED: &[&str] = &[
    "wgsl",
    "spirv",
    "wasm",
    "graph_toml",
    "lanes_text",
    "doubling",
];

/// The number of findings after which a coverage-guided target is stopped.
const ENOUGH: u32 = 5;

struct Soak<'a> {
    root: &'a Path,
    /// The folder for findings.
    folder: PathBuf,
    /// The program that runs bodies.
    program: PathBuf,
    time: Duration,
    seed: Option<&'a str>,
    only: Vec<&'a str>,
}

pub(crate) fn soak(root: &Path, arguments: &[&str]) -> Outcome {
    let target = target_folder(root)?;
    let mut soak = Soak {
        root,
        folder: target.join("soak/findings"),
        program: target.join("soak/soak"),
        time: Duration::ZERO,
        seed: None,
        only: Vec::new(),
    };
    for pair in arguments.chunks(2) {
        match *pair {
            ["--minutes", value] => soak.time = minutes(value)?,
            ["--seed", value] => soak.seed = Some(value),
            ["--only", value] => soak.only.push(value),
            _ => return Err(format!("`{}` is not an option of soak", pair.join(" "))),
        }
    }
    if soak.time.is_zero() {
        return Err("soak needs --minutes N".to_owned());
    }
    soak.build()?;
    let guided = soak.guided_targets();
    let share = if guided.is_empty() { 1.0 } else { 0.5 };
    let random = soak.random(soak.time.mul_f64(share));
    let guided = soak.guided(&guided, soak.time.mul_f64(1.0 - share));
    random.and(guided)
}

fn minutes(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| format!("`{text}` is not a number of minutes"))?;
    Duration::try_from_secs_f64(number * 60.0).map_err(|error| format!("--minutes {text}: {error}"))
}

impl Soak<'_> {
    /// Compiles the bodies, and the command that some of them run.
    fn build(&self) -> Outcome {
        let mut build = cargo();
        build
            .args(["build", "--quiet", "--profile=soak"])
            .args(["--package=anywarp-tests", "--bin=soak"])
            .args(["--package=anywarp", "--bin=anywarp"])
            .current_dir(self.root);
        run(&mut build)
    }

    fn random(&self, time: Duration) -> Outcome {
        let mut soak = Command::new(&self.program);
        soak.args(["--minutes", &(time.as_secs_f64() / 60.0).to_string()])
            .arg("--folder")
            .arg(&self.folder)
            .current_dir(self.root);
        if let Some(seed) = self.seed {
            soak.args(["--seed", seed]);
        }
        for target in &self.only {
            soak.args(["--only", target]);
        }
        run(&mut soak)
    }

    /// The coverage-guided targets that were requested; none, with a note, if cargo-fuzz is not installed.
    fn guided_targets(&self) -> Vec<&'static str> {
        let is_asked = |target: &&str| self.only.is_empty() || self.only.contains(target);
        let asked: Vec<_> = GUIDED.iter().copied().filter(is_asked).collect();
        let installed = output(cargo().args(["fuzz", "--version"]).stderr(Stdio::null()));
        if !asked.is_empty() && installed.is_err() {
            println!("coverage-guided targets are left out: `cargo install cargo-fuzz` is missing");
            return Vec::new();
        }
        asked
    }

    /// Runs the coverage-guided targets, one per core at a time.
    fn guided(&self, targets: &[&'static str], time: Duration) -> Outcome {
        if targets.is_empty() {
            return Ok(());
        }
        let corpus = self.folder.with_file_name("corpus");
        run(Command::new(&self.program).arg("corpus").arg(&corpus))?;
        let mut build = self.fuzz("build");
        run(&mut build)?;
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let rounds = targets.len().div_ceil(cores);
        let each = time / u32::try_from(rounds).unwrap_or(1);
        let queue: Mutex<VecDeque<_>> = Mutex::new(targets.iter().copied().collect());
        let rows = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(|| {
                    while let Some(target) = lock(&queue).pop_front() {
                        let row = self.guide(target, &corpus.join(target), each);
                        lock(&rows).push(row);
                    }
                });
            }
        });
        report(&rows.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn fuzz(&self, command: &str) -> Command {
        let mut fuzz = cargo();
        fuzz.args(["fuzz", command, "--sanitizer=none", "--release"])
            .current_dir(self.root);
        fuzz
    }

    /// Runs one target, and restarts it after each finding.
    fn guide(&self, target: &'static str, corpus: &Path, time: Duration) -> Row {
        let begin = Instant::now();
        let mut row = Row {
            target,
            ..Row::default()
        };
        let log = self.folder.with_file_name(format!("{target}.log"));
        while row.findings < ENOUGH && begin.elapsed() + Duration::from_secs(1) < time {
            let rest = (time - begin.elapsed()).as_secs();
            match self.libfuzzer(target, corpus, rest, &log) {
                Ok(inputs) => row.inputs += inputs,
                Err(inputs) => {
                    row.inputs += inputs;
                    row.findings += 1;
                }
            }
        }
        row.seconds = begin.elapsed().as_secs_f64();
        row
    }

    /// The number of inputs; as an error if there was a finding.
    fn libfuzzer(&self, target: &str, corpus: &Path, seconds: u64, log: &Path) -> Result<u64, u64> {
        let prefix = self.folder.join(format!("{target}-guided-"));
        let mut command = self.fuzz("run");
        command
            .arg(target)
            .arg(corpus)
            .args(["--", "-max_len=65536", "-timeout=180", "-rss_limit_mb=4096"])
            .args([
                "-print_final_stats=1",
                &format!("-max_total_time={seconds}"),
            ])
            .arg(format!("-artifact_prefix={}", prefix.display()))
            .stdin(Stdio::null());
        if let Some(seed) = self.seed {
            command.arg(format!("-seed={seed}"));
        }
        if target == "wgsl" {
            command.arg("-dict=fuzz/wgsl.dict");
        }
        let Ok(output) = command.output() else {
            return Err(0);
        };
        let text = String::from_utf8_lossy(&output.stderr);
        // A log that cannot be written does not affect the result.
        let _ = fs::write(log, text.as_bytes());
        let inputs = executed(&text);
        if output.status.success() {
            Ok(inputs)
        } else {
            Err(inputs)
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The number of inputs that libFuzzer reports.
fn executed(text: &str) -> u64 {
    let mut counts = text
        .lines()
        .filter_map(|line| line.strip_prefix("stat::number_of_executed_units:"));
    let last = counts.next_back().and_then(|word| word.trim().parse().ok());
    last.unwrap_or(0)
}

/// The counts of a coverage-guided target.
#[derive(Default)]
struct Row {
    target: &'static str,
    inputs: u64,
    seconds: f64,
    findings: u32,
}

fn report(rows: &[Row]) -> Outcome {
    println!("\ncoverage-guided");
    println!(
        "{:<12}{:>9}{:>9}{:>10}",
        "target", "inputs", "seconds", "findings"
    );
    for row in rows {
        println!(
            "{:<12}{:>9}{:>9.0}{:>10}",
            row.target, row.inputs, row.seconds, row.findings
        );
    }
    match rows.iter().map(|row| row.findings).sum::<u32>() {
        0 => Ok(()),
        count => Err(format!("{count} findings of coverage-guided targets")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_count_of_libfuzzer_is_read() {
        let text = "#2 INITED\nstat::number_of_executed_units: 1234\nstat::peak_rss_mb: 60\n";
        assert_eq!(executed(text), 1234);
        assert_eq!(executed("killed"), 0);
    }

    #[test]
    fn minutes_may_be_fractions_and_nothing_else() {
        assert_eq!(minutes("0.5"), Ok(Duration::from_secs(30)));
        for wrong in ["", "two", "-1", "nan"] {
            assert!(minutes(wrong).is_err(), "{wrong}");
        }
    }
}
