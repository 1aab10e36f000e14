//! What a word of a buffer must hold after a run.

use std::fmt;

use crate::literal::{Literal, Scalar};
use crate::tolerance::Tolerance;
use crate::{Memory, Slot};

/// A tolerance with the buffers that held the builtin's arguments: word `i` of each belongs to word
/// `i` of the output.
#[derive(Clone, Debug)]
pub struct Within {
    /// The bound.
    pub tolerance: &'static Tolerance,
    /// Where the arguments are, as many as the bound needs.
    pub arguments: Vec<Slot>,
}

/// The rule for one word.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// How to read the word.
    pub scalar: Scalar,
    /// The numbers that are right; none means that any word is.
    pub accepted: Vec<Literal>,
    /// How far from them it may be.
    pub within: Option<Within>,
}

/// A word that breaks its rule.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The buffer.
    pub slot: Slot,
    /// The word.
    pub index: usize,
    /// What it should hold, in words.
    pub expected: String,
    /// What it holds.
    pub got: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            slot,
            index,
            expected,
            got,
        } = self;
        write!(
            f,
            "binding {slot} word {index}: got {got}, expected {expected}"
        )
    }
}

impl Expectation {
    /// Whether the word at `index` is right; `inputs` is the memory before the run.
    fn accepts(&self, index: usize, word: u32, inputs: &Memory) -> bool {
        self.accepted.is_empty()
            || self.accepted.iter().any(|literal| {
                literal.matches(word)
                    || self
                        .within
                        .as_ref()
                        .is_some_and(|within| within.accepts(*literal, index, word, inputs))
            })
    }

    fn show(&self) -> String {
        let numbers: Vec<String> = self
            .accepted
            .iter()
            .map(|literal| match literal {
                Literal::Nan => "nan".to_owned(),
                Literal::Real(real) if self.within.is_some() => format!("{real:?}"),
                _ => self.scalar.show(literal.word()),
            })
            .collect();
        let tolerance = self.within.as_ref().map_or(String::new(), |within| {
            format!(" within {}", within.tolerance.name)
        });
        numbers.join(" or ") + &tolerance
    }
}

impl Within {
    fn accepts(&self, expected: Literal, index: usize, word: u32, inputs: &Memory) -> bool {
        let got = f64::from(f32::from_bits(word));
        match expected {
            // Infinities and NaN have no neighbourhood.
            Literal::Real(real) if real.is_finite() && got.is_finite() => {
                let arguments: Vec<f64> = self
                    .arguments
                    .iter()
                    .map(|slot| f64::from(f32::from_bits(inputs[slot][index])))
                    .collect();
                let bound = self.tolerance.accepts(real, &arguments);
                // A bound computed from the arguments alone would accept any wrong number in the
                // case: that number must lie inside as well.
                bound.contains(real) && bound.contains(got)
            }
            _ => false,
        }
    }
}

/// Every word of a buffer that breaks its rule.
pub(crate) fn mismatches(
    slot: Slot,
    expectations: &[Expectation],
    words: &[u32],
    inputs: &Memory,
) -> Vec<Mismatch> {
    expectations
        .iter()
        .zip(words)
        .enumerate()
        .filter(|(index, (expectation, word))| !expectation.accepts(*index, **word, inputs))
        .map(|(index, (expectation, word))| Mismatch {
            slot,
            index,
            expected: expectation.show(),
            got: expectation.scalar.show(*word),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Expectation, Within, mismatches};
    use crate::tolerance::SQRT_INHERITED;
    use crate::{Literal, Memory, Scalar, Slot};

    const SLOT: Slot = Slot {
        group: 0,
        binding: 0,
    };

    fn root_of_two(expected: f64, got: f32) -> usize {
        let expectation = Expectation {
            scalar: Scalar::F32,
            accepted: vec![Literal::Real(expected)],
            within: Some(Within {
                tolerance: &SQRT_INHERITED,
                arguments: vec![SLOT],
            }),
        };
        let inputs = Memory::from([(SLOT, vec![2f32.to_bits()])]);
        mismatches(SLOT, &[expectation], &[got.to_bits()], &inputs).len()
    }

    #[test]
    fn a_result_and_its_expectation_are_both_held_to_the_bound() {
        let root = std::f64::consts::SQRT_2;
        assert_eq!(root_of_two(root, 1.414_213_8), 0);
        assert_eq!(root_of_two(root, 1.415), 1);
        assert_eq!(root_of_two(1.5, 1.414_213_8), 1);
        assert_eq!(root_of_two(root, f32::NAN), 1);
    }
}
