//! Runs bodies in a worker process, and detects how it ends.
//!
//! In: inputs. Out: a [`Report`] for each, also if the process was killed by a signal, ran out of stack or memory, or
//! hangs. A process that has ended is replaced for the next input. The worker itself checks the limits of processor
//! time and memory; the supervisor has a wall-clock limit for a process that hangs.

use std::fmt;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::finding::{Finding, Kind};
use super::limits::Limits;
use super::targets::Target;
use super::verdict::{Report, Verdict};
use super::worker::Request;

/// Wall-clock limit of one stage, many times its processor time: the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// The number of bytes of a worker's standard error that are reported.
const LAST_WORDS: usize = 2000;

/// A worker process.
struct Worker {
    process: Child,
    input: ChildStdin,
    /// Lines of its standard output.
    replies: Receiver<String>,
    /// Its standard error, available after it has ended.
    last_words: Receiver<String>,
}

impl Worker {
    fn start(program: &Path) -> Result<Self> {
        let mut process = Command::new(program)
            .arg("worker")
            // Symbolising backtraces takes more memory than some limits allow.
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("{} did not start", program.display()))?;
        let input = process.stdin.take().context("its input is piped")?;
        let output = process.stdout.take().context("its output is piped")?;
        let errors = process.stderr.take().context("its errors are piped")?;
        let (sender, replies) = channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            lines
                .take_while(|line| sender.send(line.clone()).is_ok())
                .for_each(drop);
        });
        let (sender, last_words) = channel();
        std::thread::spawn(move || drop(sender.send(tail(errors))));
        Ok(Self {
            process,
            input,
            replies,
            last_words,
        })
    }

    fn send(&mut self, request: &Request, input: &[u8]) -> std::io::Result<()> {
        let mut message = serde_json::to_vec(request)?;
        message.push(b'\n');
        message.extend_from_slice(input);
        self.input.write_all(&message)?;
        self.input.flush()
    }

    /// Waits for a process that has ended or is about to; returns its status and the end of its standard error.
    fn end(mut self) -> Result<(ExitStatus, String)> {
        let status = self.process.wait()?;
        let words = self.last_words.recv_timeout(Duration::from_secs(5));
        Ok((status, words.unwrap_or_default()))
    }

    fn kill(mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The last bytes of a stream.
fn tail(mut stream: impl Read) -> String {
    let mut last = Vec::new();
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut buffer) {
        last.extend_from_slice(&buffer[..count]);
        let surplus = last.len().saturating_sub(LAST_WORDS);
        last.drain(..surplus);
    }
    String::from_utf8_lossy(&last).trim().to_owned()
}

/// Runs bodies in worker processes, one after another.
pub struct Supervisor {
    program: PathBuf,
    limits: Limits,
    worker: Option<Worker>,
}

impl fmt::Debug for Supervisor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Supervisor")
            .field("program", &self.program)
            .finish_non_exhaustive()
    }
}

impl Supervisor {
    /// `program` must call [`serve`](super::worker::serve) if its only argument is `worker`.
    pub fn new(program: impl Into<PathBuf>, limits: Limits) -> Self {
        Self {
            program: program.into(),
            limits,
            worker: None,
        }
    }

    /// Runs a body on an input.
    ///
    /// # Errors
    ///
    /// If no process can be started.
    pub fn run(&mut self, target: &Target, input: &[u8]) -> Result<Report> {
        let request = Request {
            target: target.name.to_owned(),
            limits: self.limits.scaled_to(input.len()),
            length: input.len(),
        };
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::start(&self.program)?,
        };
        if worker.send(&request, input).is_err() {
            return ended(worker, "start");
        }
        let mut stage = "start".to_owned();
        let reply = loop {
            match worker.replies.recv_timeout(PATIENCE) {
                Ok(line) if !line.starts_with('{') => stage = line,
                other => break other,
            }
        };
        match reply {
            Ok(line) => {
                let report: Report = serde_json::from_str(&line)
                    .with_context(|| format!("a worker answered `{line}`"))?;
                // A monitor that has reported an excess ends its process.
                match report.verdict.finding().map(|finding| finding.kind) {
                    Some(Kind::Time | Kind::Memory) => worker.kill(),
                    _ => self.worker = Some(worker),
                }
                Ok(report)
            }
            Err(RecvTimeoutError::Timeout) => {
                worker.kill();
                let text = format!("no answer within {} s", PATIENCE.as_secs());
                Ok(report(Finding::new(Kind::Hang, &stage, text)))
            }
            Err(RecvTimeoutError::Disconnected) => ended(worker, &stage),
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        if let Some(worker) = self.worker.take() {
            worker.kill();
        }
    }
}

fn report(finding: Finding) -> Report {
    Report {
        verdict: Verdict::Wrong(finding),
        seconds: 0.0,
        bytes: 0,
    }
}

/// The report for a process that has ended.
fn ended(worker: Worker, stage: &str) -> Result<Report> {
    let (status, words) = worker.end()?;
    let text = match status.signal() {
        Some(signal) => format!("ended by signal {signal} ({}) {words}", signal_name(signal)),
        None if status.success() => bail!("a worker ended without an answer: {words}"),
        None => format!("ended with {status} {words}"),
    };
    Ok(report(Finding::new(Kind::Crash, stage, text)))
}

fn signal_name(signal: i32) -> &'static str {
    match signal {
        libc::SIGSEGV => "memory that cannot be touched",
        libc::SIGBUS => "memory that is not there",
        libc::SIGABRT => "abort: a stack overflow or a failed allocation",
        libc::SIGILL => "an illegal instruction",
        libc::SIGFPE => "an arithmetic trap",
        libc::SIGKILL => "killed, perhaps out of memory",
        _ => "unexpected",
    }
}
