//! A benchmark task: shaders, buffers, passes, and the expected result.
//!
//! A task is plain data without a reference to a device. All shaders have one entry point, `main`, and all bindings
//! are in group 0.

/// A row of the table at a certain size.
pub(super) struct Task {
    pub(super) name: &'static str,
    /// WGSL texts.
    pub(super) shaders: Vec<String>,
    pub(super) buffers: Vec<Contents>,
    /// Executed in order; each starts after the previous one has finished.
    pub(super) passes: Vec<Pass>,
    pub(super) check: Option<Check>,
    /// Amount of work, to compare sizes of one task.
    pub(super) work: f64,
    /// Measurements for each one that the command asks for; short tasks are measured more often.
    pub(super) repeats: u32,
}

/// The initial contents of a buffer.
pub(super) enum Contents {
    /// This number of zero words.
    Zeros(usize),
    Words(Vec<u32>),
}

impl Contents {
    pub(super) fn words(&self) -> usize {
        match self {
            Self::Zeros(words) => *words,
            Self::Words(words) => words.len(),
        }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.words() as u64 * 4
    }
}

/// One dispatch.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Pass {
    /// Index of the shader.
    pub(super) shader: usize,
    /// The buffer at binding 0, 1, ...
    pub(super) buffers: Vec<usize>,
    pub(super) grid: [u32; 3],
}

/// A digest of a buffer and its expected value.
pub(super) struct Check {
    /// Index of the buffer.
    pub(super) buffer: usize,
    pub(super) digest: fn(&[u32]) -> f64,
    /// The expected digest after a number of runs.
    pub(super) expected: Box<dyn Fn(u32) -> f64>,
    /// The largest relative error. Zero where all devices must agree exactly.
    pub(super) tolerance: f64,
}

/// A digest that differs from the expected one.
#[derive(Debug, PartialEq)]
pub(super) struct Wrong {
    pub(super) found: f64,
    pub(super) expected: f64,
}

impl Check {
    /// Returns the digest of a buffer after a number of runs if it is as expected.
    pub(super) fn verify(&self, words: &[u32], runs: u32) -> Result<f64, Wrong> {
        let found = (self.digest)(words);
        let expected = (self.expected)(runs);
        // Written so that NaN fails.
        if (found - expected).abs() <= expected.abs() * self.tolerance {
            Ok(found)
        } else {
            Err(Wrong { found, expected })
        }
    }
}

/// Digests: each reduces all words of a buffer to one number.
pub(super) mod digest {
    /// The sum of the words.
    pub(in crate::bench) fn sum(words: &[u32]) -> f64 {
        words.iter().map(|word| f64::from(*word)).sum()
    }

    /// The sum of each word times its index, counted from one.
    pub(in crate::bench) fn moment(words: &[u32]) -> f64 {
        let places = (1..).zip(words);
        places
            .map(|(place, word)| f64::from(place) * f64::from(*word))
            .sum()
    }

    /// The exclusive or of all words.
    pub(in crate::bench) fn xor(words: &[u32]) -> f64 {
        f64::from(words.iter().fold(0, |all, word| all ^ word))
    }

    /// A hash of words and their indices that an `f64` represents exactly.
    pub(in crate::bench) fn hash(words: &[u32]) -> f64 {
        const BITS: u64 = (1 << 52) - 1;
        let mix = |all: u64, word: &u32| {
            (all ^ u64::from(*word)).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (all >> 29)
        };
        (words.iter().fold(1, mix) & BITS) as f64
    }

    /// The sum of the words as floats.
    pub(in crate::bench) fn float_sum(words: &[u32]) -> f64 {
        let floats = words.iter().map(|word| f32::from_bits(*word));
        floats.map(f64::from).sum()
    }

    /// The sum of the absolute values of the words as floats.
    pub(in crate::bench) fn float_size(words: &[u32]) -> f64 {
        let floats = words.iter().map(|word| f32::from_bits(*word));
        floats.map(|float| f64::from(float.abs())).sum()
    }

    /// The sum of the absolute values of the words as floats, each times a weight that depends on its index, so that
    /// numbers at wrong places are seen also where a kernel keeps their sum.
    pub(in crate::bench) fn float_moment(words: &[u32]) -> f64 {
        let weight = |place: u32| f64::from(place.wrapping_mul(0x9e37_79b1) >> 16) + 1.0;
        let float = |word: &u32| f64::from(f32::from_bits(*word).abs());
        let places = (0..).zip(words);
        places
            .map(|(place, word)| weight(place) * float(word))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(tolerance: f64) -> Check {
        Check {
            buffer: 0,
            digest: digest::float_sum,
            expected: Box::new(|runs| 100.0 * f64::from(runs)),
            tolerance,
        }
    }

    #[test]
    fn a_digest_may_be_off_by_its_tolerance_and_no_more() {
        let words = [50.0_f32, 150.5].map(f32::to_bits);
        assert_eq!(check(0.01).verify(&words, 2), Ok(200.5));
        let wrong = Wrong {
            found: 200.5,
            expected: 200.0,
        };
        assert_eq!(check(0.001).verify(&words, 2), Err(wrong));
        assert!(check(0.01).verify(&[f32::NAN.to_bits()], 2).is_err());
    }

    #[test]
    fn digests_see_places() {
        assert_eq!(digest::sum(&[1, 2]), digest::sum(&[2, 1]));
        assert_ne!(digest::moment(&[1, 2]), digest::moment(&[2, 1]));
        assert_ne!(digest::hash(&[1, 2]), digest::hash(&[2, 1]));
        assert_eq!(digest::xor(&[5, 1]), 4.0);
        assert_eq!(digest::float_size(&[(-2.0_f32).to_bits()]), 2.0);
        let [one, two] = [1.0_f32, 2.0].map(f32::to_bits);
        assert_ne!(
            digest::float_moment(&[one, two]),
            digest::float_moment(&[two, one])
        );
    }
}
