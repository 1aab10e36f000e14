//! The expected values of a buffer after a run.

use std::fmt;

use crate::literal::Literal;
use crate::scalar::Scalar;
use crate::tolerance::Tolerance;
use crate::{Memory, Slot};

/// A tolerance with the buffers of the builtin's arguments, which have the type and the position of the result.
#[derive(Clone, Debug)]
pub struct Within {
    /// The error bound.
    pub tolerance: &'static Tolerance,
    /// The buffers with the arguments, as many as the bound needs.
    pub arguments: Vec<Slot>,
}

/// The rule for one value.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// The type.
    pub scalar: Scalar,
    /// The accepted numbers; empty if any value is accepted.
    pub accepted: Vec<Literal>,
    /// The allowed error.
    pub within: Option<Within>,
}

/// A value that does not match its expectation.
#[derive(Clone, Debug)]
pub struct Mismatch {
    /// The buffer.
    pub slot: Slot,
    /// Its position, in bits.
    pub bit: usize,
    /// The expected value, in words.
    pub expected: String,
    /// The actual value.
    pub got: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            slot,
            bit,
            expected,
            got,
        } = self;
        let half = if bit % 32 == 0 { "" } else { " upper half" };
        write!(
            f,
            "binding {slot} word {}{half}: got {got}, expected {expected}",
            bit / 32
        )
    }
}

impl Expectation {
    /// Whether the value at `bit` is accepted; `inputs` is the memory before the run.
    fn accepts(&self, bit: usize, bits: u64, inputs: &Memory) -> bool {
        self.accepted.is_empty()
            || self.accepted.iter().any(|literal| {
                literal.matches(self.scalar, bits)
                    || self.is_near(*literal, self.scalar.real(bits), bit, inputs)
            })
    }

    fn is_near(&self, expected: Literal, got: f64, bit: usize, inputs: &Memory) -> bool {
        match (&self.within, expected) {
            // Infinities and NaN must match exactly.
            (Some(within), Literal::Real(real)) if real.is_finite() && got.is_finite() => {
                let at = |slot| self.scalar.real(self.scalar.read(&inputs[slot], bit));
                let arguments: Vec<f64> = within.arguments.iter().map(at).collect();
                let bound = within.tolerance.accepts(real, &arguments);
                // A bound computed from the arguments alone would accept any wrong number in the case: that number
                // must lie inside the bound as well.
                bound.contains(real) && bound.contains(got)
            }
            _ => false,
        }
    }

    fn show(&self) -> String {
        let numbers: Vec<String> = self
            .accepted
            .iter()
            .map(|literal| match literal {
                Literal::Nan => "nan".to_owned(),
                Literal::Real(real) if self.within.is_some() => format!("{real:?}"),
                _ => self.scalar.show(literal.bits(self.scalar)),
            })
            .collect();
        let tolerance = self.within.as_ref().map_or(String::new(), |within| {
            format!(" within {}", within.tolerance.name)
        });
        numbers.join(" or ") + &tolerance
    }
}

/// Each value with its bit position.
pub(crate) fn places(expectations: &[Expectation]) -> impl Iterator<Item = (usize, &Expectation)> {
    expectations.iter().scan(0, |end, expectation| {
        let begin = *end;
        *end += expectation.scalar.width() as usize;
        Some((begin, expectation))
    })
}

/// The number of words that the values take.
pub(crate) fn word_count(expectations: &[Expectation]) -> usize {
    let widths = expectations.iter().map(|e| e.scalar.width() as usize);
    widths.sum::<usize>().div_ceil(32)
}

/// Every value of a buffer that does not match its expectation.
pub(crate) fn mismatches(
    slot: Slot,
    expectations: &[Expectation],
    words: &[u32],
    inputs: &Memory,
) -> Vec<Mismatch> {
    places(expectations)
        .map(|(bit, expectation)| (bit, expectation, expectation.scalar.read(words, bit)))
        .filter(|(bit, expectation, bits)| !expectation.accepts(*bit, *bits, inputs))
        .map(|(bit, expectation, bits)| Mismatch {
            slot,
            bit,
            expected: expectation.show(),
            got: expectation.scalar.show(bits),
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
