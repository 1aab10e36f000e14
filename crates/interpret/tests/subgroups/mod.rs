//! Subgroup operations through the public interface.

mod faults;
mod generate;
mod oracle;
mod program;
mod random;

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use anywarp_interpret::{
    Arguments, BufferView, ExecutionError, Kernel, KernelError, Limits, SubgroupSize, Worker,
};
use anywarp_program::{Program, Source};

/// The prelude of every kernel: the buffer.
const PRELUDE: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n";

fn kernel(wgsl: &str, size: u32) -> Result<Kernel, KernelError> {
    let wgsl = format!("{PRELUDE}{wgsl}");
    let program = Program::from_source(Source::new("k.wgsl", wgsl.as_str()))
        .unwrap_or_else(|error| panic!("{error}\n{wgsl}"));
    let size = SubgroupSize::new(size).expect("a size of subgroups");
    Kernel::new(&program, "main").map(|kernel| kernel.with_subgroup_size(size))
}

/// Runs one workgroup over `data` and returns its contents.
fn try_run(
    wgsl: &str,
    size: u32,
    data: &[u32],
    limits: &Limits<'_>,
) -> Result<Vec<u32>, ExecutionError> {
    let kernel = kernel(wgsl, size).unwrap_or_else(|error| panic!("{error}\n{wgsl}"));
    let data: Vec<AtomicU32> = data.iter().copied().map(AtomicU32::new).collect();
    let arguments = Arguments {
        buffers: &[BufferView { words: &data }],
        immediates: &[],
        textures: &[],
        arrays: &[],
        workgroup_count: [1, 1, 1],
    };
    Worker::new(&kernel).run(&arguments, [0, 0, 0], limits)?;
    Ok(data.iter().map(|word| word.load(Relaxed)).collect())
}

fn run(wgsl: &str, size: u32, data: &[u32]) -> Vec<u32> {
    try_run(wgsl, size, data, &Limits::default()).unwrap_or_else(|fault| panic!("{fault}\n{wgsl}"))
}
