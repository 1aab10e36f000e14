//! A case: the same work by the engine and by others, checked and measured.

use std::time::Instant;

use crate::buffer::Buffer;

/// Timed runs of each side.
const RUNS: usize = 15;

/// Work on the buffers of a case.
pub(crate) type Work = Box<dyn Fn(&mut [Buffer])>;

pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) buffers: Vec<Buffer>,
    /// The numbers that all sides must agree on.
    pub(crate) result: fn(&[Buffer]) -> Vec<f32>,
    /// The largest difference, relative to numbers over 1.
    pub(crate) tolerance: f32,
    /// The sides by name; the first is the engine.
    pub(crate) sides: Vec<(&'static str, Work)>,
}

/// A side with its median time.
pub(crate) struct Measured {
    pub(crate) name: &'static str,
    pub(crate) ms: f64,
}

/// Compares the results of all sides, and times them in rotation.
///
/// # Panics
///
/// If a side computes something else than the first.
pub(crate) fn measure(mut case: Case) -> Vec<Measured> {
    let mut expected: Option<Vec<f32>> = None;
    for (name, work) in &case.sides {
        // On the same start, so that nothing is left of the side before.
        let mut buffers = case.buffers.clone();
        work(&mut buffers);
        let found = (case.result)(&buffers);
        let expected = expected.get_or_insert_with(|| found.clone());
        check(&found, expected, &case, name);
    }
    let mut times = vec![Vec::new(); case.sides.len()];
    for round in 0..=RUNS {
        for ((_, work), times) in case.sides.iter().zip(&mut times) {
            let start = Instant::now();
            work(&mut case.buffers);
            // The first round is the warm-up.
            if round > 0 {
                times.push(start.elapsed().as_secs_f64() * 1e3);
            }
        }
    }
    let measured = case.sides.iter().zip(times).map(|((name, _), mut times)| {
        times.sort_unstable_by(f64::total_cmp);
        let ms = times[times.len() / 2];
        Measured { name, ms }
    });
    measured.collect()
}

fn check(found: &[f32], expected: &[f32], case: &Case, name: &str) {
    assert_eq!(found.len(), expected.len(), "{} of {name}", case.name);
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        let off = (found - expected).abs();
        assert!(
            off <= case.tolerance * expected.abs().max(1.0),
            "{} of {name}: number {i} is {found}, not {expected}",
            case.name
        );
    }
}
