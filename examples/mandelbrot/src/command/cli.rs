//! The command-line arguments, parsed by clap.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Parser;
use mandelbrot::{Board, Palette};

/// Computes an image of the Mandelbrot set in guarded batches.
#[derive(Debug, Parser)]
#[command(name = "mandelbrot", version)]
#[command(
    after_help = "Exit codes: 0 done; 1 the device failed; 2 the command was wrong.\n\
    The result goes to standard output, progress and messages to standard error."
)]
pub(crate) struct Cli {
    /// How to compute it: direct, perturbation or adaptive
    pub(crate) board: Board,
    /// Real part of the centre [default: the board's own view]
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) re: Option<String>,
    /// Imaginary part of the centre
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) im: Option<String>,
    /// Width of the view, such as 3 or 1e-60
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) width: Option<String>,
    /// Width and height of the image in pixels
    #[arg(long, value_name = "WxH", default_value = "320x240")]
    pub(crate) size: Size,
    /// Iterations at most [default: as many as the view needs]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u32>,
    /// cpu, gpu, or a part of a device's name
    #[arg(long, value_name = "NAME", default_value = "cpu")]
    pub(crate) device: String,
    /// Batches on the device at a time
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) slots: u32,
    /// Milliseconds that a batch should take
    #[arg(long, value_name = "MS", default_value = "15", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub(crate) batch_time: u64,
    /// Iterations at which the image so far counts, with a line for each
    #[arg(long, value_name = "N,N,..", value_delimiter = ',')]
    pub(crate) checkpoints: Vec<u32>,
    /// Folder for a picture of each checkpoint [default checkpoints: 16, 32, 64, ..]
    #[arg(long, value_name = "DIR")]
    pub(crate) frames: Option<PathBuf>,
    /// Where the picture goes [default: mandelbrot-BOARD.png]
    #[arg(long, value_name = "FILE.png")]
    pub(crate) out: Option<PathBuf>,
    /// Colours: ember, ocean or grey
    #[arg(long, value_name = "NAME", default_value = "ember")]
    pub(crate) palette: Palette,
}

/// `WxH`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size(pub(crate) [u32; 2]);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no size: give WIDTHxHEIGHT, such as 320x240");
        let (width, height) = text.split_once('x').ok_or_else(wrong)?;
        let side = |text: &str| text.parse().map_err(|_| wrong());
        Ok(Self([side(width)?, side(height)?]))
    }
}
