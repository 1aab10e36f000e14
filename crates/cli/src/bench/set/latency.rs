//! Rows that measure latency: `empty` and `dispatches`.

use super::super::task::{Check, Contents, Task, digest};
use super::Size;
use super::parts::pass;

/// Number of measurements for tasks that take microseconds.
const LATENCY_REPEATS: u32 = 20;

pub(super) fn empty(name: &'static str, _: Size) -> Task {
    Task {
        name,
        shaders: vec![include_str!("../../../benches/kernels/empty.wgsl").to_owned()],
        buffers: Vec::new(),
        passes: vec![pass(0, &[], [1, 1])],
        check: None,
        work: 1.0,
        repeats: LATENCY_REPEATS,
    }
}

/// A thousand dispatches in one submission; each depends on the output of the previous one.
pub(super) fn dispatches(name: &'static str, _: Size) -> Task {
    const COUNT: u32 = 1000;
    Task {
        name,
        shaders: vec![include_str!("../../../benches/kernels/counter.wgsl").to_owned()],
        buffers: vec![Contents::Zeros(64)],
        passes: (0..COUNT).map(|_| pass(0, &[0], [1, 1])).collect(),
        check: Some(Check {
            buffer: 0,
            digest: digest::sum,
            expected: Box::new(|runs| f64::from(64 * COUNT) * f64::from(runs)),
            tolerance: 0.0,
        }),
        work: 1.0,
        repeats: LATENCY_REPEATS,
    }
}
