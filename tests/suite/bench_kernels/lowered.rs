//! Kernel texts with reduced sizes, and buffers to run them on.

use std::path::Path;

use anywarp_tests::{Dispatch, Executor, Memory, Slot};

/// A kernel's text with some passages replaced.
///
/// # Panics
///
/// If a passage is not found: then the kernel has changed and the reduced size would have no effect.
pub(crate) fn kernel(name: &str, replacements: &[(&str, &str)]) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/cli/benches/kernels");
    let path = folder.join(format!("{name}.wgsl"));
    let text = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    replacements.iter().fold(text, |text, (from, to)| {
        assert!(text.contains(from), "{name} does not contain {from:?}");
        text.replace(from, to)
    })
}

/// A binding of group 0, which all kernels use.
pub(crate) fn slot(binding: u32) -> Slot {
    Slot { group: 0, binding }
}

/// Runs a kernel over buffers given in the order of their bindings, and returns them.
pub(crate) fn run<const N: usize>(
    executor: &dyn Executor,
    wgsl: &str,
    workgroups: [u32; 2],
    buffers: [Vec<u32>; N],
) -> [Vec<u32>; N] {
    let memory: Memory = (0..).map(slot).zip(buffers).collect();
    let [x, y] = workgroups;
    let first_line = wgsl.lines().next().unwrap_or_default();
    let mut memory = executor
        .run(&Dispatch::new(first_line, wgsl, [x, y, 1], memory))
        .unwrap_or_else(|error| panic!("{}: {first_line}: {error}", executor.name()));
    std::array::from_fn(|binding| {
        memory
            .remove(&slot(binding as u32))
            .expect("a run returns all buffers")
    })
}

/// The bits of floats.
pub(crate) fn words(floats: impl IntoIterator<Item = f32>) -> Vec<u32> {
    floats.into_iter().map(f32::to_bits).collect()
}

/// Floats from their bits.
pub(crate) fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().copied().map(f32::from_bits).collect()
}

/// Marsaglia's xorshift with the seed of the benchmark set.
pub(crate) fn xorshift() -> impl Iterator<Item = u32> {
    std::iter::successors(Some(12345u32), |x| {
        let x = x ^ (x << 13);
        let x = x ^ (x >> 17);
        Some(x ^ (x << 5))
    })
    .skip(1)
}
