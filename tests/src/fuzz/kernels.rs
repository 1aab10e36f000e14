//! Fuzz target: random kernels (`random_kernels`) on each of Anywarp's executors, compared with the interpreter.
//!
//! In: a seed; its low bits select the executor. Every executor must agree with the interpreter bit for bit.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::stages::Stages;
use super::targets::seed;
use super::verdict::Verdict;
use crate::executor::Executor;
use crate::interpreter::Interpreter;
use crate::random_kernels::{self, GeneratorOptions, Kernel, compare, minimise};
use crate::through_wgpu::{ThroughWgpu, adapter, code, code_with_calls};

/// The longest time to reduce a kernel.
const REDUCING: Duration = Duration::from_secs(30);

/// The executors, and the generator options for each.
fn executors() -> &'static [(ThroughWgpu, GeneratorOptions)] {
    static EXECUTORS: OnceLock<Vec<(ThroughWgpu, GeneratorOptions)>> = OnceLock::new();
    EXECUTORS.get_or_init(|| {
        let interpreted = adapter();
        let options = GeneratorOptions::all_of(&interpreted);
        let code = code().into_iter().chain(code_with_calls());
        let code = code.map(|code| (code, GeneratorOptions::vector_code()));
        code.chain([(interpreted, options)]).collect()
    })
}

fn chosen(input: &[u8]) -> (&'static ThroughWgpu, Kernel) {
    let seed = seed(input);
    let executors = executors();
    let (executor, options) = &executors[seed as usize % executors.len()];
    (executor, Kernel::generate(seed, options))
}

pub(crate) fn body(input: &[u8], stages: &Stages) -> Verdict {
    // Adapters are created once and not counted as costs of an input.
    let (executor, kernel) = chosen(input);
    match stages.run("compare", || compare(&kernel, &Interpreter, executor)) {
        random_kernels::Verdict::Agrees => Verdict::Accepted,
        other => Verdict::wrong("compare", format!("{}: {other}", executor.name())),
    }
}

/// The kernel, reduced as long as the verdict stays the same.
pub(crate) fn describe(input: &[u8]) -> String {
    let (executor, kernel) = chosen(input);
    let verdict = compare(&kernel, &Interpreter, executor);
    let mut same = |kernel: &Kernel| compare(kernel, &Interpreter, executor).is_like(&verdict);
    let small = match verdict {
        random_kernels::Verdict::Agrees | random_kernels::Verdict::Invalid(_) => kernel,
        _ => minimise(&kernel, &mut same, Instant::now() + REDUCING),
    };
    format!("// on {}: {verdict}\n{}", executor.name(), small.wgsl())
}
