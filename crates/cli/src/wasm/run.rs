//! `anywarp run` for a kernel: runs one exported function over a grid, on the virtual machine or on a GPU.

use std::time::{Duration, Instant};

use anywarp_wasm::runtime::{LaunchOutcome, Resources};
use serde::Serialize;

use super::machine::Machine;
use super::{Recursion, launch, load, report};
use crate::cli::{Float, RunArgs, Tier};
use crate::console;
use crate::error::Error;
use crate::image;
use crate::run::{
    OutputReport, Progress, RunTimes, TimeReport, Times, check_paths, check_stdout, output_line,
    show_line, write_output,
};
use crate::specs::{Contents, ElementType, Given, Out, Pixels, PixelsFile, PngPicture, Slot};

/// The JSON object that `--json` prints. Fields that shader reports also have use the same names and types.
#[derive(Serialize)]
struct KernelReport<'a> {
    file: &'a str,
    entry: &'a str,
    device: &'a str,
    workgroups: [u32; 3],
    workgroup_size: [u32; 3],
    repeat: u64,
    outputs: Vec<OutputReport>,
    #[serde(flatten)]
    threads: report::ThreadsReport,
    printed: &'a [(u32, String)],
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    state: Option<StateReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<TimeReport>,
}

/// `--state` as JSON: all words with `--all`, else the first.
#[derive(Serialize)]
struct StateReport<'a> {
    state: &'a [u32],
    state_words: usize,
}

/// Runs the command.
pub(crate) fn run(args: &RunArgs) -> Result<(), Error> {
    refuse_shader_options(args)?;
    check_stdout(&args.out, args.json)?;
    let recursion = if args.kernel.allow_recursion {
        Recursion::Allowed
    } else {
        Recursion::Refused
    };
    let translating = Instant::now();
    let loaded = load(&args.file, recursion)?;
    let compile = translating.elapsed();
    log::info!("translated {} to bytecode in {compile:.3?}", loaded.name);
    for line in loaded.warning_lines(console::is_verbose()) {
        console::note(&line);
    }

    let export = launch::kernel(&loaded.bytecode, &loaded.name, args.entry.as_deref())?;
    let launch = launch::launch(args, &loaded.bytecode, export)?;
    launch::check_bindings(args, &loaded.bytecode, export)?;
    let mut resources = launch::resources(args)?;
    let pixels = args.kernel.pixels.as_ref().map(|file| file.path.as_path());
    let outs = args.out.iter().filter_map(|out| out.destination.path());
    check_paths(outs.chain(pixels))?;
    let mut machine = Machine::choose(args, &loaded)?;

    log::info!("runs on {}", machine.name());

    let mut outcome = LaunchOutcome::default();
    let mut runs = RunTimes::default();
    let progress = Progress::new(args.repeat);
    for _ in 0..args.repeat {
        let running = Instant::now();
        outcome = progress.during(|| machine.run(&loaded.bytecode, &launch, &mut resources))?;
        runs.add(running.elapsed(), 1);
        progress.advance(1);
    }
    drop(progress);
    // Results come back as part of the run.
    let times = Times {
        compile,
        runs,
        read_back: Duration::ZERO,
    };

    if let Some(file) = &args.kernel.pixels {
        write_picture(file, &resources)?;
    }
    let outputs = args.out.iter().map(|out| output(args, out, &resources));
    let outputs = outputs.collect::<Result<Vec<_>, _>>()?;
    if args.json {
        console::json(&KernelReport {
            file: &loaded.name,
            entry: &export.name,
            device: machine.name(),
            workgroups: launch.workgroups,
            workgroup_size: launch.workgroup_size,
            repeat: args.repeat,
            outputs,
            threads: report::threads(&outcome, args.kernel.all),
            printed: &outcome.printed,
            state: args.kernel.state.as_ref().map(|_| StateReport {
                state: shown_state(args, &resources),
                state_words: resources.state.len(),
            }),
            instructions: outcome.instructions,
            time: args.time.then(|| times.report()),
        })?;
    } else {
        show(args, &outcome, &resources, &outputs)?;
        if args.time {
            console::message(&time_line(&times, &outcome, machine.name()));
        }
    }
    if let Some(hint) = report::hint(&outcome) {
        console::note(hint);
    }
    match report::trapped(&outcome) {
        0 => Ok(()),
        trapped => Err(Error::Trapped {
            trapped,
            threads: outcome.threads.len(),
        }),
    }
}

/// Rejects shader options, which would have no effect.
fn refuse_shader_options(args: &RunArgs) -> Result<(), Error> {
    let given = [
        ("--constant", !args.constant.is_empty()),
        ("--subgroup-size", args.cpu.subgroup_size.is_some()),
        ("--schedule", args.cpu.schedule.is_some()),
        ("--max-frame-memory", args.cpu.max_frame_memory.is_some()),
        ("--strict-float", args.cpu.strict_float),
        ("--swap", !args.swap.is_empty()),
        ("--immediate", args.immediate.is_some()),
    ];
    let wrong = |option, reason: &str| Error::Argument {
        option,
        reason: reason.to_owned(),
    };
    if let Some((option, _)) = given.into_iter().find(|(_, is_given)| *is_given) {
        let reason = "only for shaders, not for kernels in WebAssembly";
        return Err(wrong(option, reason));
    }
    match (args.kernel.tier, args.kernel.float) {
        (None | Some(Tier::Bytecode), Some(Float::Fast)) => {
            let reason = "the bytecode tier is always exact; give --tier compiled or auto";
            Err(wrong("--float fast", reason))
        }
        _ => Ok(()),
    }
}

fn show(
    args: &RunArgs,
    outcome: &LaunchOutcome,
    resources: &Resources,
    outputs: &[OutputReport],
) -> Result<(), Error> {
    let mut lines = report::lines(outcome, args.kernel.all);
    if args.kernel.state.is_some() {
        let shown = shown_state(args, resources);
        let words: Vec<String> = shown.iter().map(u32::to_string).collect();
        let rest = if shown.len() < resources.state.len() {
            ", .."
        } else {
            ""
        };
        lines.push(format!("state = [{}{rest}]", words.join(", ")));
    }
    let is_raw = outputs.iter().any(OutputReport::is_on_stdout);
    let shown = outputs.iter().filter(|output| !output.is_on_stdout());
    lines.extend(shown.map(output_line));
    if let Some(file) = &args.kernel.pixels {
        let (width, height) = (file.width, file.height);
        lines.push(format!(
            "pixels = {} ({width}x{height})",
            file.path.display()
        ));
    }
    lines.iter().try_for_each(|line| show_line(line, is_raw))
}

/// The words of the state that are shown.
fn shown_state<'a>(args: &RunArgs, resources: &'a Resources) -> &'a [u32] {
    let state = &resources.state;
    if args.kernel.all {
        state
    } else {
        state.get(..report::SHOWN).unwrap_or(state)
    }
}

fn time_line(times: &Times, outcome: &LaunchOutcome, machine: &str) -> String {
    let run_ms = times.runs.total().as_secs_f64() * 1e3;
    let translate_ms = times.compile.as_secs_f64() * 1e3;
    let instructions = outcome
        .instructions
        .map_or_else(String::new, |instructions| {
            let rate = instructions as f64 / run_ms / 1e3;
            format!(" ({instructions} instructions, {rate:.1} M/s)")
        });
    format!("time: translate {translate_ms:.3} ms, run {run_ms:.3} ms{instructions} on {machine}")
}

fn write_picture(file: &PixelsFile, resources: &Resources) -> Result<(), Error> {
    let pixels = resources
        .picture
        .as_ref()
        .map_or(&[][..], |picture| &picture.pixels);
    let picture = PngPicture {
        path: file.path.clone(),
        width: file.width,
        height: file.height,
        pixels: Pixels::F32x4,
    };
    let bytes: &[u8] = bytemuck::cast_slice(pixels);
    image::write_png(&picture, bytes, ElementType::F32)
        .map(drop)
        .map_err(|source| Error::Write {
            path: file.path.clone(),
            source,
        })
}

/// One `--out`.
fn output(args: &RunArgs, out: &Out, resources: &Resources) -> Result<OutputReport, Error> {
    let place = launch::place(&out.target, "--out")?;
    let words = resources.buffers.get(&place).map_or(&[][..], Vec::as_slice);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let element = element_type(args, out);
    let needed = out.destination.bytes(element).unwrap_or(0);
    if needed > bytes.len() as u64 {
        return Err(Error::OutSize {
            target: out.target.clone(),
            name: "buffer".to_owned(),
            wanted: "the output".to_owned(),
            needed,
            have: bytes.len() as u64,
        });
    }
    let (group, binding) = (place.0.into(), place.1.into());
    write_output(Slot { group, binding }, out, String::new(), element, &bytes)
}

/// Kernel buffers are untyped: the element type is that of the bound data, if any.
pub(super) fn element_type(args: &RunArgs, out: &Out) -> ElementType {
    let bound = args.bind.iter().find(|bind| bind.target == out.target);
    match bound.map(|bind| &bind.given) {
        Some(Given::Data(Contents::Values(numbers))) => numbers.element,
        _ => ElementType::U32,
    }
}
