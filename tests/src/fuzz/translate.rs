//! Writes programs in every language.
//!
//! In: a [`Program`]. Out: a finding if a writer exceeds its limits, or if the WGSL that Anywarp writes cannot be
//! read back. WGSL and SPIR-V are written in this process. One of GLSL, HLSL and MSL is written by the command
//! `anywarp translate`, if it was built next to this program: users run the same code, with its limits. naga's
//! writers panic on input that they do not support, and the command reports such a panic as an error; so it counts as
//! a rejection here too.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use anywarp_program::{Program, ProgramError};
use anywarp_spirv::{SpirvOptions, write_spirv};
use anywarp_wgsl_writer::{Dialect, WgslOptions, write_wgsl};
use rustix::process::{Pid, Resource, Rlimit, prlimit};

use super::finding::{Finding, Kind};
use super::memory;
use super::stages::Stages;
use super::verdict::Verdict;

/// The languages that only the command writes, with the names of their stages.
const LANGUAGES: [(&str, &str); 3] = [
    ("glsl", "translate to GLSL"),
    ("hlsl", "translate to HLSL"),
    ("msl", "translate to MSL"),
];

/// Limits of the reader that a written program may exceed: nesting depth, and type size.
const LIMITS: [&str; 2] = ["nested too deeply", "type is too large"];

/// Limit on the command's address space, so that it cannot exhaust the machine's memory.
const MAX_ADDRESSES: u64 = 16 << 30;

/// The growth of this process allowed while it starts the command.
const INHERITED_SLACK: u64 = 16 << 20;

/// Writes a program in every language.
pub(crate) fn translate(program: &Program, stages: &Stages) -> Result<(), Verdict> {
    let written = stages.run("write WGSL", || {
        write_wgsl(program, &WgslOptions::new(Dialect::Naga)).ok()
    });
    if let Some(text) = written {
        let again = stages.run("read back", || Program::from_wgsl(&text));
        let is_limit = |error: &ProgramError| {
            matches!(error, ProgramError::TooLarge(_))
                || LIMITS.iter().any(|limit| error.to_string().contains(limit))
        };
        if let Err(error) = again
            && !is_limit(&error)
        {
            return Err(Verdict::wrong("read back", error.to_string()));
        }
    }
    stages.run("write SPIR-V", || {
        contain(|| write_spirv(program, &SpirvOptions::default()).ok())
    });
    let text = program.source().filter(|_| program.naga_wgsl().is_some());
    match (command(), text) {
        (Some(command), Some(source)) => by_command(command, source.text(), stages),
        _ => Ok(()),
    }
}

fn contain<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// The command, if it was built next to this program.
fn command() -> Option<&'static PathBuf> {
    static COMMAND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let path = std::env::current_exe().ok()?.with_file_name("anywarp");
        path.is_file().then_some(path)
    };
    COMMAND.get_or_init(find).as_ref()
}

/// Writes one of the languages with the command; the length of the text selects it, because starting the command
/// takes long.
fn by_command(command: &PathBuf, text: &str, stages: &Stages) -> Result<(), Verdict> {
    let (language, stage) = LANGUAGES[text.len() % LANGUAGES.len()];
    let failed = |error: std::io::Error| Verdict::wrong(stage, error.to_string());
    // Between fork and exec, the new process has the memory of this one, which counts towards its peak.
    let inherited = memory::reset_peak_resident().unwrap_or(0);
    let process = Command::new(command)
        .args(["translate", "-", "-", "--to", language])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let usage = feed(process, text, stages.limits().time).map_err(failed)?;
    let bytes = Some(usage.bytes).filter(|bytes| *bytes > inherited + INHERITED_SLACK);
    stages.note(stage, usage.time, bytes.unwrap_or(0));
    let Some(signal) = usage.signal else {
        return Ok(());
    };
    let text = format!("the command was ended by signal {signal}");
    let kind = match signal {
        libc::SIGXCPU => Kind::Time,
        _ => Kind::Crash,
    };
    Err(Verdict::Wrong(Finding::new(kind, stage, text)))
}

/// The resources that a process used.
struct Usage {
    time: Duration,
    /// Peak resident bytes.
    bytes: u64,
    signal: Option<i32>,
}

/// Gives a process its input and slightly more than its time limit, and waits for it.
fn feed(mut process: Child, text: &str, time: Duration) -> std::io::Result<Usage> {
    let pid = Pid::from_child(&process);
    // SIGXCPU at the first limit marks a timeout; the second limit kills the process.
    let limit = |first, second| Rlimit {
        current: Some(first),
        maximum: Some(second),
    };
    let seconds = time.as_secs() + 1;
    prlimit(Some(pid), Resource::Cpu, limit(seconds, seconds + 2))?;
    prlimit(Some(pid), Resource::As, limit(MAX_ADDRESSES, MAX_ADDRESSES))?;
    if let Some(mut input) = process.stdin.take() {
        // A command that rejects its input early does not read all of it.
        let _ = input.write_all(text.as_bytes());
    }
    wait(&process)
}

/// Waits for a process, and returns its resource usage.
fn wait(process: &Child) -> std::io::Result<Usage> {
    let mut status = 0;
    // SAFETY: zeros are a valid `rusage`.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to variables that live until the call returns.
    let done = unsafe { libc::wait4(process.id() as i32, &mut status, 0, &mut usage) };
    if done < 0 {
        return Err(std::io::Error::last_os_error());
    }
    let time = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    Ok(Usage {
        time: time(usage.ru_utime) + time(usage.ru_stime),
        bytes: usage.ru_maxrss as u64 * 1024,
        signal: libc::WIFSIGNALED(status).then(|| libc::WTERMSIG(status)),
    })
}
