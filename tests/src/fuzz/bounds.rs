//! Random kernels over buffers between guard pages (`crates/cpu/tests/bounds`).
//!
//! In: a seed. A touch of a guard page ends the process; a difference from the interpreter is a panic.

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

/// The same with buffers that are one word shorter than they say: the process must end.
pub(crate) fn dishonest(input: &[u8], stages: &Stages) -> Verdict {
    stages.run("run between guard pages", || {
        check::try_seed(seed(input), Honesty::OneWordTooLong);
    });
    Verdict::Accepted
}

pub(crate) fn describe(input: &[u8]) -> String {
    generator::generate(seed(input))
}
