//! The time of the pass pipeline grows linearly with the size of a function.

use std::time::{Duration, Instant};

use anywarp_lanes::pass::{self, PassOptions};
use anywarp_lanes::random;

/// The shortest time of several runs on functions of about this size; other processes only add time.
fn time(size: usize) -> (Duration, usize) {
    let functions: Vec<_> = (0..4)
        .map(|seed| random::function(seed, 16, size))
        .collect();
    let blocks = functions.iter().flat_map(|function| &function.blocks);
    let count = blocks.map(|block| block.insts.len()).sum();
    let runs = (0..5).map(|_| {
        let mut functions = functions.clone();
        let begin = Instant::now();
        for function in &mut functions {
            pass::run(function, &PassOptions::default());
        }
        begin.elapsed()
    });
    (runs.min().unwrap(), count)
}

#[test]
fn time_is_linear() {
    let (small, few) = time(1000);
    let (large, many) = time(16000);
    let growth = large.as_secs_f64() / small.as_secs_f64();
    let size = many as f64 / few as f64;
    assert!(
        growth < 4.0 * size,
        "{size:.1} times the instructions took {growth:.1} times as long: {small:?}, {large:?}"
    );
}
