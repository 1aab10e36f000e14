//! The options of `anywarp bench`.

use std::path::PathBuf;

use clap::Args;

const EXAMPLES: &str = "\
The rows of the group limits: mandelbrot, matmul_naive, matmul_tiled, nbody, triad, reduce (three
passes), histogram, scan (five passes), hash, trans; the latency of an empty dispatch (empty) and of
1000 dispatches in one submission (dispatches). The rows of the group shapes, kernels as shader
authors write them: sum_strided, sum_grid, sum_vec4, block_scan, heat, heat_rows, heat_mask, life,
gray_scott, blur, sobel, bitonic, top_k, fft, ray_march, path_trace, neighbours. --compile adds
shaders of growing size, from text to first result.

Examples:
  anywarp bench
  anywarp bench --only triad,scan --runs 11 --device avx512,llvmpipe
  anywarp bench --only shapes --runs 3
  anywarp bench --only compile --json compile.json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct BenchArgs {
    /// Number of runs of each kernel on each device; the table shows medians
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: u32,
    /// Measure only these rows or groups: `limits`, `shapes`; `compile` means all rows of --compile
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub(crate) only: Vec<String>,
    /// Measure only on these: avx512, avx2, interpreter, bare, or part of the name of a driver
    #[arg(long, value_name = "NAME,..", value_delimiter = ',')]
    pub(crate) device: Vec<String>,
    /// Also measure compile times
    #[arg(long)]
    pub(crate) compile: bool,
    /// Use small sizes, to check that everything works, not how fast it is
    #[arg(long)]
    pub(crate) quick: bool,
    /// Round every product and every sum on the CPU engines: no fused multiply-add
    #[arg(long)]
    pub(crate) strict_float: bool,
    /// Write all measurements to a file
    #[arg(long, value_name = "FILE.json")]
    pub(crate) json: Option<PathBuf>,
}
