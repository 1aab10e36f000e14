//! Perturbation compared with high precision, pixel by pixel, at depths far below the range of f32 and f64.
//!
//! Differences have the 24 bits of f32, so pixels at the boundary may differ. Their share is bounded. If rebasing or
//! exponents were wrong, hardly any pixel would be right.

use std::collections::BTreeSet;

use mandelbrot::{Board, Method};

use crate::gpu::Gpu;
use crate::sights::{ASIDE, AT_10, AT_20, AT_60, AT_300, Sight, VALLEY, WHOLE};
use crate::truth::{difference, exact_counts};

/// Maximal share of pixels that may differ from high precision: 3 of 768.
const TOLERANCE: f64 = 0.005;
/// The same for a view in which all pixels are close to the boundary of the set.
const TURBULENT: f64 = 0.03;
/// Minimal share of pixels that must differ with the direct method, at depths where f32 cannot distinguish pixels.
const HOPELESS: f64 = 0.5;

/// The expected counts of a sight. A view without detail would prove nothing, so that is checked.
fn expected(sight: &Sight) -> Vec<u32> {
    let counts = exact_counts(sight);
    let kinds: BTreeSet<_> = counts.iter().collect();
    assert!(kinds.len() > 15, "{} shows too little", sight.name);
    counts
}

/// The share of pixels that differ.
fn wrong(sight: &Sight, board: Board, method: Method, expected: &[u32]) -> f64 {
    let job = Gpu::cpu().run(sight.descriptor(board));
    assert_eq!(job.progress().method, method, "{}", sight.name);
    difference(job.image().counts(), expected)
}

fn assert_right(sight: &Sight, board: Board, method: Method, tolerance: f64) {
    let share = wrong(sight, board, method, &expected(sight));
    assert!(share <= tolerance, "{}: {share} differ", sight.name);
}

#[test]
fn shallow_views_are_right() {
    let method = Method::Extended;
    assert_right(&WHOLE, Board::Perturbation, method, TOLERANCE);
    assert_right(&VALLEY, Board::Perturbation, method, TURBULENT);
}

#[test]
fn plain_distances_are_right() {
    assert_right(&AT_10, Board::Adaptive, Method::Plain, TOLERANCE);
}

#[test]
fn pixels_change_their_reference() {
    assert_right(&ASIDE, Board::Adaptive, Method::Extended, TOLERANCE);
}

#[test]
fn deep_views_are_right_where_plain_f32_is_not() {
    for sight in [&AT_20, &AT_60, &AT_300] {
        let expected = expected(sight);
        let share = wrong(sight, Board::Direct, Method::Direct, &expected);
        assert!(share >= HOPELESS, "{}: {share} differ", sight.name);
        let share = wrong(sight, Board::Perturbation, Method::Extended, &expected);
        assert!(share <= TOLERANCE, "{}: {share} differ", sight.name);
    }
}
