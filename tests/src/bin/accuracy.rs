//! Measures the accuracy of the builtin functions of one `f32` in machine code, over all of its 2^32 values.
//!
//! `accuracy [--function NAME]... [--sample N] [--threads N]`: all functions and all values by default, which takes
//! some minutes of a core for each function. Out: one row for each function; exit code 1 if a result is outside
//! WGSL's bound or if two vector widths differ.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command prints"
)]

use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use anywarp_tests::accuracy::{AccuracyReport, BuiltinFunction, FUNCTIONS, Inputs, measure};

struct Arguments {
    functions: Vec<&'static BuiltinFunction>,
    inputs: Inputs,
    threads: NonZeroUsize,
}

fn main() -> ExitCode {
    match arguments(std::env::args().skip(1)) {
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
        Ok(arguments) => match run(&arguments) {
            Ok(true) => ExitCode::SUCCESS,
            Ok(false) => ExitCode::FAILURE,
            Err(error) => {
                eprintln!("error: {error:#}");
                ExitCode::FAILURE
            }
        },
    }
}

fn arguments(mut words: impl Iterator<Item = String>) -> Result<Arguments> {
    let mut arguments = Arguments {
        functions: Vec::new(),
        inputs: Inputs::All,
        threads: std::thread::available_parallelism()?,
    };
    while let Some(option) = words.next() {
        let value = words
            .next()
            .with_context(|| format!("{option} needs a value"));
        match option.as_str() {
            "--function" => {
                let name = value?;
                let found = BuiltinFunction::named(&name);
                let names = || {
                    FUNCTIONS
                        .iter()
                        .map(|function| function.name)
                        .collect::<Vec<_>>()
                };
                let found = found
                    .with_context(|| format!("no function `{name}`: {}", names().join(", ")))?;
                arguments.functions.push(found);
            }
            "--sample" => {
                let count: u64 = value?.parse().context("--sample takes a number")?;
                arguments.inputs = Inputs::Sample(count);
            }
            "--threads" => {
                let threads = value?.parse();
                arguments.threads = threads.context("--threads takes a number above 0")?;
            }
            other => bail!("unknown option {other}: there are --function, --sample and --threads"),
        }
    }
    if arguments.functions.is_empty() {
        arguments.functions = FUNCTIONS.iter().collect();
    }
    Ok(arguments)
}

/// Returns whether all results are within their bounds.
fn run(arguments: &Arguments) -> Result<bool> {
    println!(
        "{:12} {:>10} {:8} {:>15} {:>15}  {:>10}  bound",
        "function", "worst", "", "at", "gives", "inputs"
    );
    let mut is_well = true;
    for function in &arguments.functions {
        let begin = Instant::now();
        let measured = measure(function, arguments.inputs, arguments.threads)?;
        is_well &= measured.wrong == 0 && (measured.differing == 0 || function.is_estimated());
        println!("{}", row(function, &measured));
        for measurement in &measured.violations {
            println!(
                "    {}({:e} = {:#010x}) = {:e} with {} lanes, but it is {:e}",
                function.name,
                measurement.x,
                measurement.x.to_bits(),
                measurement.result,
                measurement.lanes,
                measurement.exact
            );
        }
        eprintln!("{}: {:.1} s", function.name, begin.elapsed().as_secs_f64());
    }
    Ok(is_well)
}

fn row(function: &BuiltinFunction, measured: &AccuracyReport) -> String {
    let worst = match function.unit() {
        "ULP" => format!("{:.4}", measured.worst),
        _ => format!("2^{:.2}", measured.worst.log2()),
    };
    let mut text = format!(
        "{:12} {:>10} {:8} {:>15e} {:>15e}  {:>10}  {}",
        function.name,
        worst,
        function.unit(),
        measured.at,
        measured.result,
        measured.inputs,
        function.bound()
    );
    if measured.wrong > 0 {
        text += &format!("; {} WRONG", measured.wrong);
    }
    if measured.differing > 0 {
        text += &format!("; {} differ between widths", measured.differing);
    }
    text
}
