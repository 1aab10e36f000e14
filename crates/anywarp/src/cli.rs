//! The command line as clap sees it. Names and meanings only; the work is elsewhere.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::specs::{Bind, ConstantValue, Contents, Out, Swap, Workgroups};

/// Runs any GPU program anywhere: on the CPU with no driver installed, or on any GPU.
#[derive(Debug, Parser)]
#[command(name = "anywarp", version, propagate_version = true)]
#[command(
    after_help = "Exit codes: 0 done; 1 the program failed; 2 the command was wrong.\n\
    Results go to standard output, messages to standard error."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run one compute entry point over a grid of workgroups
    Run(RunArgs),
    /// Show entry points, workgroup sizes, bindings, overrides and memory
    Inspect(InspectArgs),
    /// Translate a program into another shader language, by file extension
    Translate(TranslateArgs),
    /// List every device, ours first, with what it can do
    Devices(DevicesArgs),
}

const RUN_EXAMPLES: &str = "\
What --bind and --immediate take:
  zeros:BYTES           zeros
  random:BYTES[:SEED]   pseudo-random words, the same for the same seed
  f32:1,2.5  u32:1,0xff  i32:-1,2
                        values
  @FILE                 the bytes of a file
A binding without --bind is zeros, when its type or its --out says how large it is.

What --out takes, as the last run left the binding:
  print:f32|u32|i32[:COUNT]
                        values on standard output: all, or the first COUNT
  FILE.bin              the bytes
  FILE.png:WxH:rgba8    a picture of packed bytes, red first
  FILE.png:WxH:f32x4    a picture of four floats a pixel, 0 to 1
  FILE.png:WxH:heat     a picture of scalars, minimum to maximum through a colour map

Example:
  anywarp run examples/mandelbrot.wgsl --workgroups 128,128 --out 0:0=mandelbrot.png:1024x1024:heat";

#[derive(Debug, Args)]
#[command(after_long_help = RUN_EXAMPLES, after_help = "`anywarp run --help` says what each SPEC may be.")]
pub(crate) struct RunArgs {
    /// The program: .wgsl or .spv
    pub(crate) file: PathBuf,
    /// Entry point to run [default: the only compute entry point]
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Workgroups in each dimension
    #[arg(long, value_name = "X[,Y[,Z]]", default_value = "1")]
    pub(crate) workgroups: Workgroups,
    /// What a buffer holds at first; for each binding at most once
    #[arg(long, value_name = "G:B=SPEC")]
    pub(crate) bind: Vec<Bind>,
    /// Where a buffer goes at the end
    #[arg(long, value_name = "G:B=SPEC")]
    pub(crate) out: Vec<Out>,
    /// What the program's var<immediate> holds [default: zeros]
    #[arg(long, value_name = "SPEC")]
    pub(crate) immediate: Option<Contents>,
    /// How often to run
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) repeat: u64,
    /// Two bindings that change their buffers between runs
    #[arg(long, value_name = "G:B,G:B")]
    pub(crate) swap: Vec<Swap>,
    /// Value of a pipeline-overridable constant, by name or @id number
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) constant: Vec<ConstantValue>,
    /// cpu, gpu, or a part of a device's name
    #[arg(long, value_name = "cpu|gpu|TEXT", default_value = "cpu")]
    pub(crate) device: String,
    /// Time that one workgroup may take on the CPU before it counts as endless [default: 10]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) watchdog: Option<Duration>,
    /// Say how long compiling, each run and reading back took; waits for each run on its own
    #[arg(long)]
    pub(crate) time: bool,
    /// Results as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct InspectArgs {
    /// The program: .wgsl or .spv
    pub(crate) file: PathBuf,
    /// The same as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct TranslateArgs {
    /// The program: .wgsl or .spv
    pub(crate) input: PathBuf,
    /// The file to write: .wgsl, .spv, .glsl, .hlsl or .msl
    pub(crate) output: PathBuf,
    /// Write this entry point alone; .glsl needs it where there are several
    #[arg(long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// Version of a .spv output
    #[arg(long, value_name = "MAJOR.MINOR", default_value = "1.3", value_parser = spirv_version)]
    pub(crate) spirv_version: (u8, u8),
}

#[derive(Debug, Args)]
pub(crate) struct DevicesArgs {
    /// The same as one JSON array
    #[arg(long)]
    pub(crate) json: bool,
}

fn seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .filter(|time| !time.is_zero())
        .ok_or_else(|| "give a positive number of seconds".to_owned())
}

fn spirv_version(text: &str) -> Result<(u8, u8), String> {
    match text {
        "1.0" => Ok((1, 0)),
        "1.1" => Ok((1, 1)),
        "1.2" => Ok((1, 2)),
        "1.3" => Ok((1, 3)),
        "1.4" => Ok((1, 4)),
        "1.5" => Ok((1, 5)),
        "1.6" => Ok((1, 6)),
        _ => Err("give 1.0 to 1.6".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn clap_finds_no_fault() {
        Cli::command().debug_assert();
    }
}
