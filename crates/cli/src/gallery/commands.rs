//! Runs an example that consists of commands: each is a process of this command, in the gallery's folder.
//!
//! In: the lines of the table. Out: their time, engine and printed values. What always holds: what runs is the line that
//! the page shows, with options for a report added. A process of its own keeps a failure from the other examples.

use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::time::Duration;

use anywarp_program::Program;
use clap::Parser;
use serde::Deserialize;

use super::example::{Example, Measured, Place, Size, Work};
use super::failure::Failure;
use crate::cli::{Cli, Command, RunArgs};
use crate::engine;
use crate::graph::GraphCommand;
use crate::input;
use crate::run::entry;
use crate::wasm;

/// The folder of the crate of kernels in a checkout, as lines name it.
const KERNEL_CRATE: &str = "examples/kernels";

/// A command of an example.
pub(super) struct Line {
    words: Vec<String>,
}

/// The part of the reports of `run --json` and `graph run --json` that the page shows.
#[derive(Default, Deserialize)]
struct Report {
    #[serde(default)]
    outputs: Vec<Output>,
    time: Option<Time>,
    /// The time of a graph.
    milliseconds: Option<f64>,
}

#[derive(Deserialize)]
struct Output {
    name: String,
    value: Option<serde_json::Value>,
    values: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Time {
    run_total_ms: f64,
}

/// The crate of kernels, if the current folder is a checkout.
pub(super) fn kernel_crate() -> Option<PathBuf> {
    let folder = std::env::current_dir().ok()?.join(KERNEL_CRATE);
    folder.join("Cargo.toml").is_file().then_some(folder)
}

/// The commands of an example for a size and a device; none for a program.
pub(super) fn lines(example: &Example, size: Size, device: &str) -> Vec<Line> {
    let Work::Commands { commands, quick } = &example.work else {
        return Vec::new();
    };
    let line = |command: &&str| {
        let replaced = match size {
            Size::Full => (*command).to_owned(),
            Size::Quick => quick
                .iter()
                .fold((*command).to_owned(), |text, (full, quick)| {
                    text.replace(full, quick)
                }),
        };
        Line::new(&replaced, device)
    };
    commands.iter().map(line).collect()
}

impl Line {
    fn new(text: &str, device: &str) -> Self {
        let mut words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let takes_device = matches!(words[0].as_str(), "run" | "graph");
        if takes_device && device != "cpu" {
            words.extend(["--device".to_owned(), device.to_owned()]);
        }
        Self { words }
    }

    /// The line for a shell, in the gallery's folder.
    pub(super) fn shown(&self) -> String {
        let words: Vec<String> = self.words.iter().map(|word| quoted(word)).collect();
        format!("anywarp {}", words.join(" "))
    }

    /// The arguments of the command.
    #[cfg(test)]
    pub(super) fn arguments(&self) -> &[String] {
        &self.words
    }

    /// Runs the line.
    pub(super) fn run(&self, place: &Place) -> Result<Measured, Failure> {
        let engine = self.prepare(place)?;
        let extra: &[&str] = match self.words[0].as_str() {
            "run" => &["--time", "--json"],
            "graph" => &["--json"],
            _ => &[],
        };
        let crate_folder = kernel_crate();
        let words = self.words.iter().map(|word| match &crate_folder {
            Some(folder) if word == KERNEL_CRATE => folder.as_os_str(),
            _ => word.as_ref(),
        });
        let failed = |source| Failure::Start {
            command: self.shown(),
            source,
        };
        let output = Process::new(std::env::current_exe().map_err(failed)?)
            .args(words)
            .args(extra)
            .current_dir(&place.folder)
            .output()
            .map_err(failed)?;
        if !output.status.success() {
            let message = String::from_utf8_lossy(&output.stderr);
            let message = message.trim();
            return Err(Failure::Command {
                command: self.shown(),
                message: message
                    .strip_prefix("error: ")
                    .unwrap_or(message)
                    .to_owned(),
            });
        }
        let report = if extra.is_empty() {
            Report::default()
        } else {
            self.report(&output.stdout)?
        };
        Ok(report.measured(engine))
    }

    fn report(&self, stdout: &[u8]) -> Result<Report, Failure> {
        serde_json::from_slice(stdout).map_err(|error| Failure::Report {
            command: self.shown(),
            reason: error.to_string(),
        })
    }

    /// Checks that the device has what a shader needs, and says how it will run.
    fn prepare(&self, place: &Place) -> Result<Option<String>, Failure> {
        let words = std::iter::once("anywarp").chain(self.words.iter().map(String::as_str));
        let parsed = Cli::try_parse_from(words).map_err(|error| Failure::Command {
            command: self.shown(),
            message: error.to_string(),
        })?;
        match parsed.command {
            Command::Run(args) if wasm::is_kernel(&args.file) => Ok(Some(if place.is_cpu() {
                "virtual machine".to_owned()
            } else {
                "bytecode interpreter in WGSL".to_owned()
            })),
            Command::Run(args) => prepare_shader(&args, place),
            Command::Graph(args) if matches!(args.command, GraphCommand::Run(_)) => {
                Ok(Some("one pass for each level of the graph".to_owned()))
            }
            _ => Ok(None),
        }
    }
}

/// A word for a shell: in quotes if it has characters with a meaning there.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=@".contains(c);
    if word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

impl Report {
    fn measured(self, engine: Option<String>) -> Measured {
        let milliseconds = self.time.map(|time| time.run_total_ms);
        let milliseconds = milliseconds.or(self.milliseconds).unwrap_or(0.0);
        let printed = self.outputs.into_iter().filter_map(|output| {
            let value = output.value.or(output.values)?;
            Some(format!("{} = {value}", output.name))
        });
        Measured {
            run: Duration::from_secs_f64(milliseconds.max(0.0) / 1e3),
            engine,
            printed: printed.collect(),
            verified: None,
        }
    }
}

fn prepare_shader(args: &RunArgs, place: &Place) -> Result<Option<String>, Failure> {
    let input = input::load(&place.folder.join(&args.file))?;
    check_features(&input.name, &input.program, &place.adapter)?;
    if !place.is_cpu() {
        return Ok(None);
    }
    if args.cpu.schedule.is_some() {
        return Ok(Some("interpreted, in a random order".to_owned()));
    }
    let chosen = entry::choose(&input, args.entry.as_deref(), &args.constant)?;
    Ok(engine_of(&input.program, &chosen.name, place))
}

/// Skips a program for whose features the device is missing.
pub(super) fn check_features(
    name: &str,
    program: &Program,
    adapter: &wgpu::Adapter,
) -> Result<(), Failure> {
    anywarp::needs::check(program, adapter.features()).map_err(|missing| {
        let file = Path::new(name).file_name().unwrap_or_default();
        Failure::Skipped(format!(
            "{} needs {}, which {} does not have",
            file.to_string_lossy(),
            missing.need,
            adapter.get_info().name
        ))
    })
}

/// How the CPU device runs an entry point.
pub(super) fn engine_of(program: &Program, entry: &str, place: &Place) -> Option<String> {
    if !place.is_cpu() {
        return None;
    }
    let points = program.entry_points();
    let point = points.iter().find(|point| point.name == entry)?;
    engine::execution(program, point, &place.adapter.limits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_a_meaning_for_the_shell_are_quoted() {
        assert_eq!(quoted("before=@a.bin"), "before=@a.bin");
        assert_eq!(quoted("gravity=[0,-2,0]"), "'gravity=[0,-2,0]'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }
}
