//! The options of `anywarp graph`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::open::Waits;
use super::outputs::BufferOut;
use crate::cli::CpuArgs;
use crate::engine::EngineChoice;
use crate::specs::{self, SpecError};

#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    #[command(subcommand)]
    pub(crate) command: GraphCommand,
}

const EXAMPLES: &str = "\
Examples:
  anywarp graph run examples/graphs/quadtree.toml --image quadtree.png
  anywarp graph run examples/graphs/tiles.toml --image tiles.png --device gpu --trace tiles.json
  anywarp graph dot examples/graphs/quadtree.toml --run --format svg > quadtree.svg";

#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub(crate) enum GraphCommand {
    /// Show the levels, queues and memory of a graph
    Plan(PlanArgs),
    /// Run a graph until no records are left
    Run(RunGraphArgs),
    /// Run a graph level by level and show the records of each level
    Step(StepArgs),
    /// Draw a graph as Graphviz text or as an SVG picture
    Dot(DotArgs),
}

/// A graph file, and what it may ask for.
#[derive(Debug, Args)]
pub(crate) struct FileArgs {
    /// Graph file: .toml
    pub(crate) file: PathBuf,
    /// Allow the graph to name files in this folder, besides those beneath its own; may be given several times
    #[arg(long, value_name = "DIR")]
    pub(crate) allow_dir: Vec<PathBuf>,
    /// Maximum bytes that the file may ask for: records, buffers, textures, inputs and texts in all [default: 1G]
    #[arg(long, value_name = "BYTES", value_parser = specs::count)]
    pub(crate) max_bytes: Option<u64>,
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) input: FileArgs,
    /// Maximum bytes for records [default: as in the file, else 128 MiB]
    #[arg(long, value_name = "BYTES", value_parser = specs::count)]
    pub(crate) memory: Option<u64>,
    /// Print one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of every command that runs a graph.
#[derive(Debug, Args)]
#[command(mut_arg("engine", EngineChoice::for_shaders))]
pub(crate) struct DeviceArgs {
    #[command(flatten)]
    pub(crate) input: FileArgs,
    /// Device: cpu, gpu, or part of the name of a device
    #[arg(long, value_name = "cpu|gpu|TEXT", default_value = "cpu")]
    pub(crate) device: String,
    #[command(flatten)]
    pub(crate) cpu: CpuArgs,
    /// Maximum bytes for records; less memory needs more sweeps [default: as in the file, else 128 MiB]
    #[arg(long, value_name = "BYTES", value_parser = specs::count)]
    pub(crate) memory: Option<u64>,
    /// Check node code: every misuse is an error that names the node, the record and the rule
    #[arg(long)]
    pub(crate) check: bool,
}

impl DeviceArgs {
    /// The first option about the run that is given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let all = [
            ("--device", self.device != "cpu"),
            ("--engine", self.cpu.engine.is_some()),
            ("--watchdog", self.cpu.watchdog.is_some()),
            ("--limit", self.cpu.limit.is_some()),
            ("--max-frame-memory", self.cpu.max_frame_memory.is_some()),
            ("--schedule", self.cpu.schedule.is_some()),
            ("--subgroup-size", self.cpu.subgroup_size.is_some()),
            ("--strict-float", self.cpu.strict_float),
            ("--memory", self.memory.is_some()),
            ("--check", self.check),
        ];
        all.into_iter()
            .find(|(_, is_given)| *is_given)
            .map(|(name, _)| name)
    }
}

#[derive(Debug, Args)]
pub(crate) struct RunGraphArgs {
    #[command(flatten)]
    pub(crate) common: DeviceArgs,
    /// Write the picture that the file's [image] describes
    #[arg(long, value_name = "FILE.png", value_parser = png_file)]
    pub(crate) image: Option<PathBuf>,
    /// Print or write a buffer of the file after the run: print:TYPE[:COUNT], FILE.bin or
    /// FILE.png:WxH:rgba8|f32x4|heat
    #[arg(long, value_name = "BUFFER=SPEC")]
    pub(crate) out: Vec<BufferOut>,
    /// Write the times of every node at every level, for ui.perfetto.dev
    #[arg(long, value_name = "FILE.json")]
    pub(crate) trace: Option<PathBuf>,
    /// Wait for each node, so that the error about a lost device names it; slow
    #[arg(long, conflicts_with = "trace")]
    pub(crate) breadcrumbs: bool,
    /// Print counts and outputs as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl RunGraphArgs {
    pub(super) fn waits(&self) -> Waits {
        if self.breadcrumbs {
            Waits::ForEach
        } else {
            Waits::ForAll
        }
    }
}

/// Parses the name of a picture file, which must end in `.png`.
fn png_file(text: &str) -> Result<PathBuf, SpecError> {
    let path = PathBuf::from(text);
    let extension = path.extension().and_then(|extension| extension.to_str());
    if extension.is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        Ok(path)
    } else {
        Err(SpecError::PngFile)
    }
}

#[derive(Debug, Args)]
pub(crate) struct StepArgs {
    #[command(flatten)]
    pub(crate) common: DeviceArgs,
    /// Maximum records to show for each node at each level: the first in its queue, some of which
    /// earlier sweeps may have consumed
    #[arg(long, value_name = "N", default_value = "4")]
    pub(crate) records: u32,
    /// Show only this node, `NAME` or `NAME[INDEX]`
    #[arg(long, value_name = "NAME")]
    pub(crate) node: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DotArgs {
    #[command(flatten)]
    pub(crate) common: DeviceArgs,
    /// Run the graph first and show its counts in the nodes
    #[arg(long)]
    pub(crate) run: bool,
    /// Output format: Graphviz text or a picture
    #[arg(long, value_enum, default_value = "dot")]
    pub(crate) format: DrawingFormat,
}

/// The output format of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DrawingFormat {
    Dot,
    Svg,
}
