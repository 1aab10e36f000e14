//! Differential testing: runs random kernels by seed on an executor and on the interpreter.
//!
//! `random_kernels FIRST..END [adapter|avx512|avx2|lavapipe] [core|wide|vector]` compares results; every difference
//! is reduced to a small kernel and printed. `avx512-calls` and `avx2-calls` call every function that can be called
//! instead of inlining it. `wide` uses every number type and the subgroup operations of the executor, `vector`
//! everything that the vector IR supports. `random_kernels show SEED [core|wide|vector]` prints a kernel. Seeds run
//! in a worker process, which is killed and restarted when a seed takes too long: a driver may hang while it
//! compiles.
#![allow(clippy::print_stdout, reason = "it is a command")]

use std::io::{BufRead, BufReader, Write, stdin, stdout};
use std::ops::Range;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use anywarp_tests::random_kernels::{GeneratorOptions, Kernel, Verdict, compare, minimise};
use anywarp_tests::{Executor, Interpreter, adapter, code, code_with_calls, lavapipe};

/// The longest time for a seed, without reduction.
const PATIENCE: Duration = Duration::from_secs(120);
/// The longest time to reduce a kernel.
const CUTTING: Duration = Duration::from_secs(60);

/// The line that ends a worker's report about a seed.
const END: &str = "== end";
/// The line with which a worker reports a difference before it starts the reduction.
const FOUND: &str = "== found";

fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["show", seed] => show(seed, "core"),
        ["show", seed, types] => show(seed, types),
        ["worker", executor, types] => work(executor, types).map(|()| ExitCode::SUCCESS),
        [seeds] => campaign(range(seeds)?, "adapter", "core"),
        [seeds, executor] => campaign(range(seeds)?, executor, "core"),
        [seeds, executor, types] => campaign(range(seeds)?, executor, types),
        _ => bail!(
            "FIRST..END [adapter|avx512[-calls]|avx2[-calls]|lavapipe] [core|wide|vector], or show SEED [core|wide|vector]"
        ),
    }
}

fn options(types: &str, executor: &dyn Executor) -> Result<GeneratorOptions> {
    match types {
        "core" => Ok(GeneratorOptions::default()),
        "wide" => Ok(GeneratorOptions::all_of(executor)),
        "vector" => Ok(GeneratorOptions::vector_code()),
        other => bail!("types are core, wide or vector, not {other}"),
    }
}

fn show(seed: &str, types: &str) -> Result<ExitCode> {
    let kernel = Kernel::generate(seed.parse()?, &options(types, &Interpreter)?);
    println!("{}", kernel.wgsl());
    Ok(ExitCode::SUCCESS)
}

fn range(text: &str) -> Result<Range<u64>> {
    let (first, end) = text.split_once("..").context("seeds are FIRST..END")?;
    Ok(first.parse()?..end.parse()?)
}

/// The worker's loop: reads seeds and reports what is wrong with each.
fn work(executor: &str, types: &str) -> Result<()> {
    let executor: Box<dyn Executor> = match executor {
        "adapter" => Box::new(adapter()),
        "lavapipe" => Box::new(lavapipe().context("no Vulkan adapter named llvmpipe")?),
        other => {
            let (name, executors) = match other.strip_suffix("-calls") {
                Some(name) => (name, code_with_calls()),
                None => (other, code()),
            };
            let mut executors = executors.into_iter();
            let found = executors.find(|executor| executor.name().to_string() == name);
            Box::new(found.with_context(|| format!("no executor is called {other}"))?)
        }
    };
    let options = options(types, executor.as_ref())?;
    for seed in stdin().lines() {
        let kernel = Kernel::generate(seed?.parse()?, &options);
        let verdict = compare(&kernel, &Interpreter, executor.as_ref());
        if verdict != Verdict::Agrees {
            println!("{FOUND}");
            println!("{verdict}");
            let mut same = |kernel: &Kernel| {
                compare(kernel, &Interpreter, executor.as_ref()).is_like(&verdict)
            };
            let small = match verdict {
                // Written with the whole report.
                Verdict::Invalid(_) => kernel,
                _ => minimise(&kernel, &mut same, Instant::now() + CUTTING),
            };
            println!("{}", small.wgsl());
        }
        println!("{END}");
        stdout().flush()?;
    }
    Ok(())
}

/// A worker process and its output.
struct Worker {
    process: Child,
    lines: Receiver<String>,
}

impl Worker {
    fn start(executor: &str, types: &str) -> Result<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .args(["worker", executor, types])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let output = process.stdout.take().context("its output is piped")?;
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Self { process, lines })
    }

    /// The worker's report about a seed; `Err` if the worker hangs or has ended.
    fn ask(&mut self, seed: u64) -> Result<Vec<String>> {
        let input = self.process.stdin.as_mut().context("its input is piped")?;
        writeln!(input, "{seed}")?;
        let mut said = Vec::new();
        let mut deadline = Instant::now() + PATIENCE;
        loop {
            let rest = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(rest) {
                Ok(line) if line == END => return Ok(said),
                Ok(line) if line == FOUND => deadline = Instant::now() + CUTTING + PATIENCE,
                Ok(line) => said.push(line),
                Err(error) => bail!("{error} {}", said.join("\n")),
            }
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn campaign(seeds: Range<u64>, executor: &str, types: &str) -> Result<ExitCode> {
    let start = Instant::now();
    let mut worker = Worker::start(executor, types)?;
    let (mut ran, mut wrong, mut stuck) = (0, 0, 0);
    for seed in seeds {
        ran += 1;
        match worker.ask(seed) {
            Ok(said) if said.is_empty() => {}
            Ok(said) => {
                wrong += 1;
                println!("seed {seed} {}\n", said.join("\n"));
            }
            Err(error) => {
                stuck += 1;
                println!("seed {seed} is stuck or ended the process: {error}\n");
                worker = Worker::start(executor, types)?;
            }
        }
        stdout().flush()?;
    }
    println!(
        "{ran} kernels ({types}) on {executor}: {wrong} wrong, {stuck} stuck, {:.1} s",
        start.elapsed().as_secs_f32()
    );
    Ok(match wrong + stuck {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}
