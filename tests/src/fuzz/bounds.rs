//! Fuzz target: random kernels over buffers between guard pages (`crates/cpu/tests/bounds`).
//!
//! In: a seed. An access to a guard page ends the process; a difference from the interpreter is a panic.

#[path = "../../../crates/cpu/tests/bounds/check.rs"]
mod check;
#[path = "../../../crates/cpu/tests/bounds/generator.rs"]
mod generator;
#[path = "../../../crates/cpu/tests/bounds/guarded.rs"]
mod guarded;
#[path = "../../../crates/cpu/tests/bounds/random.rs"]
mod random;

use guarded::Honesty;

use super::stages::Stages;
use super::targets::seed;
use super::verdict::Verdict;

pub(crate) fn body(input: &[u8], stages: &Stages) -> Verdict {
    stages.run("run between guard pages", || {
        check::try_seed(seed(input), Honesty::Honest);
    });
    Verdict::Accepted
}

/// The same with buffers one word shorter than declared: the process must end. Tests the oracle.
pub(crate) fn dishonest(input: &[u8], stages: &Stages) -> Verdict {
    stages.run("run between guard pages", || {
        check::try_seed(seed(input), Honesty::OneWordTooLong);
    });
    Verdict::Accepted
}

pub(crate) fn describe(input: &[u8]) -> String {
    generator::generate(seed(input))
}
