//! The options of `anywarp graph`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::open::Waits;
use crate::cli::CpuArgs;

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
    /// Show levels, queues and the memory that a graph takes
    Plan(PlanArgs),
    /// Run a graph until nothing is left
    Run(RunGraphArgs),
    /// Run a graph level by level and show the records of each
    Step(StepArgs),
    /// Draw a graph in the language of Graphviz, or as an SVG picture
    Dot(DotArgs),
}

#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    /// The graph: a .toml file
    pub(crate) file: PathBuf,
    /// The most bytes for records [default: the file's, or 128 MiB]
    #[arg(long, value_name = "BYTES")]
    pub(crate) memory: Option<u64>,
    /// The same as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// What every command takes that runs a graph.
#[derive(Debug, Args)]
pub(crate) struct DeviceArgs {
    /// The graph: a .toml file
    pub(crate) file: PathBuf,
    /// cpu, gpu, or a part of a device's name
    #[arg(long, value_name = "cpu|gpu|TEXT", default_value = "cpu")]
    pub(crate) device: String,
    #[command(flatten)]
    pub(crate) cpu: CpuArgs,
    /// The most bytes for records [default: the file's, or 128 MiB]; less takes more sweeps
    #[arg(long, value_name = "BYTES")]
    pub(crate) memory: Option<u64>,
    /// Make every misuse in node code an error that names node, record and rule
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct RunGraphArgs {
    #[command(flatten)]
    pub(crate) common: DeviceArgs,
    /// Where the picture goes that the file's [image] describes
    #[arg(long, value_name = "FILE.png")]
    pub(crate) image: Option<PathBuf>,
    /// Measure every node at every level, for ui.perfetto.dev
    #[arg(long, value_name = "FILE.json")]
    pub(crate) trace: Option<PathBuf>,
    /// Wait for each node by itself, so that a lost device names it; slow
    #[arg(long, conflicts_with = "trace")]
    pub(crate) breadcrumbs: bool,
    /// What was counted as one JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl RunGraphArgs {
    pub(super) fn waits(&self) -> Waits {
        match self.breadcrumbs {
            true => Waits::ForEach,
            false => Waits::ForAll,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct StepArgs {
    #[command(flatten)]
    pub(crate) common: DeviceArgs,
    /// The most records of a node that are shown at a level: the first in its queue, some of which
    /// earlier sweeps may have consumed
    #[arg(long, value_name = "N", default_value = "4")]
    pub(crate) records: u32,
    /// Show this node alone, `NAME` or `NAME[INDEX]`
    #[arg(long, value_name = "NAME")]
    pub(crate) node: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DotArgs {
    #[command(flatten)]
    pub(crate) common: DeviceArgs,
    /// Run the graph first, and write what was counted into the nodes
    #[arg(long)]
    pub(crate) run: bool,
    /// Text for Graphviz, or a picture
    #[arg(long, value_enum, default_value = "dot")]
    pub(crate) format: DrawingFormat,
}

/// What a drawing is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DrawingFormat {
    Dot,
    Svg,
}
