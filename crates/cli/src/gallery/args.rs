//! The options of `anywarp gallery`.

use std::path::PathBuf;

use clap::Args;

const HELP: &str = "\
Examples:
  anywarp gallery
  anywarp gallery all --out gallery
  anywarp gallery life ray-tracer --out pictures --device gpu";

#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub(crate) struct GalleryArgs {
    /// Names of examples, or `all`; without names the examples are listed
    #[arg(value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Folder of the page `index.html`, the pictures and the sources [default: gallery]
    #[arg(long, value_name = "FOLDER", requires = "names")]
    pub(crate) out: Option<PathBuf>,
    /// Device: cpu, gpu, or part of the name of a device
    #[arg(
        long,
        value_name = "cpu|gpu|TEXT",
        default_value = "cpu",
        requires = "names"
    )]
    pub(crate) device: String,
    /// Run each example with less work, which takes seconds even without optimisation
    #[arg(long, requires = "names")]
    pub(crate) quick: bool,
}
