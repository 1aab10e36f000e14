//! Every kernel of the benchmark set on every executor, with reduced sizes so that the interpreter finishes soon.
//!
//! The expected results are computed on the host in Rust: integers must be equal, floats within a bound that follows
//! from the number of roundings. Executors that agree with the host agree with each other.

mod floats;
mod integers;
mod lowered;

use anywarp_tests::{Executor, Interpreter, adapter, code, lavapipe, report_skip};

type Check = fn(&dyn Executor);

const KERNELS: &[(&str, Check)] = &[
    ("empty", integers::empty),
    ("counter", integers::counter),
    ("hash", integers::hash),
    ("histogram", integers::histogram),
    ("scan", integers::scan),
    ("mandelbrot", floats::mandelbrot),
    ("matmul_naive", floats::matmul_naive),
    ("matmul_tiled", floats::matmul_tiled),
    ("nbody", floats::nbody),
    ("triad", floats::triad),
    ("reduce", floats::reduce),
    ("trans", floats::trans),
    ("big", floats::big),
];

/// A panic in a check names the kernel by its message and its line.
fn check_all(executor: &dyn Executor) {
    let failed: Vec<&str> = KERNELS
        .iter()
        .filter(|(_, check)| {
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(executor))).is_err()
        })
        .map(|(name, _)| *name)
        .collect();
    assert!(
        failed.is_empty(),
        "kernels that failed on {}: {failed:?}",
        executor.name()
    );
}

#[test]
fn interpreter_runs_the_kernels() {
    check_all(&Interpreter);
}

#[test]
fn adapter_runs_the_kernels() {
    check_all(&adapter());
}

#[test]
fn machine_code_runs_the_kernels() {
    let executors = code();
    if executors.is_empty() {
        report_skip("the benchmark set as machine code: this machine has no AVX2");
    }
    for executor in executors {
        check_all(&executor);
    }
}

#[test]
fn lavapipe_runs_the_kernels() {
    match lavapipe() {
        Some(lavapipe) => check_all(&lavapipe),
        None => report_skip("benchmark kernels on lavapipe: no Vulkan adapter named llvmpipe"),
    }
}
