//! The reference orbit of perturbation: the orbit of the centre in high precision, converted for the kernel.
//!
//! In: a view. Out: entries in f32, in pieces of bounded time. Entries near zero have a second representation with a
//! separate exponent, because differences there may be below f32's range. What always holds: the orbit ends only after
//! it has escaped so far that every pixel which has not escaped is closer to zero than to the reference, and so has
//! been rebased before.

use bytemuck::{Pod, Zeroable};
use num_bigint::BigInt;

use crate::extent::power_of_two;
use crate::grid::to_parts;
use crate::view::View;

/// One entry of the orbit. The kernel has the same struct.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Entry {
    /// The value, flushed to zero if f32 cannot represent it.
    pub(crate) value: [f32; 2],
    /// 0, or one plus the index of the wide entry with the same value.
    pub(crate) wide: u32,
    padding: u32,
}

/// The value of an entry that the kernel's fast path does not support: near zero, or escaped. The kernel has the same
/// struct.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct WideEntry {
    /// The mantissas. The larger magnitude is in [1, 2), unless both are zero.
    pub(crate) value: [f32; 2],
    pub(crate) exponent: i32,
    padding: u32,
}

/// Entries below this power of two have a wide entry. The kernel's fast path relies on it.
const SMALL: i32 = -30;
/// Coordinates below this power of two are flushed to zero in f32, because their products would be subnormal on some
/// devices.
const LEAST: i32 = -100;
/// The exponent of zero: less than all others, without overflow in sums.
const ZERO_EXPONENT: i32 = -(1 << 28);
/// The orbit ends when its squared magnitude exceeds this.
const FAR: f64 = 256.0;
/// The approximate time limit of one piece in nanoseconds.
const PIECE: u64 = 10_000_000;

/// Consecutive entries to write, with the indices of the first.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(crate) first: u32,
    pub(crate) entries: Vec<Entry>,
    pub(crate) first_wide: u32,
    pub(crate) wides: Vec<WideEntry>,
}

#[derive(Debug)]
pub(crate) struct ReferenceOrbit {
    c: [BigInt; 2],
    z: [BigInt; 2],
    bits: u32,
    entries: u32,
    wides: u32,
    has_escaped: bool,
}

impl ReferenceOrbit {
    pub(crate) fn new(view: &View) -> Self {
        let (c, bits) = view.fixed_centre();
        Self {
            c,
            z: [BigInt::ZERO, BigInt::ZERO],
            bits,
            entries: 0,
            wides: 0,
            has_escaped: false,
        }
    }

    /// Number of entries.
    pub(crate) fn len(&self) -> u32 {
        self.entries
    }

    /// Number of iterations that a pixel can do with the existing entries. Until the orbit has escaped, one entry is
    /// held back, because the kernel takes the last entry for the end of the orbit.
    pub(crate) fn iterations(&self) -> u32 {
        if self.has_escaped {
            u32::MAX
        } else {
            self.entries.saturating_sub(2)
        }
    }

    /// Extends the orbit for this number of iterations, or as far as the time limit of a piece allows.
    pub(crate) fn extend(&mut self, iterations: u32) -> Piece {
        let mut piece = Piece {
            first: self.entries,
            first_wide: self.wides,
            ..Piece::default()
        };
        let limbs = u64::from(self.bits / 64 + 1);
        for _ in 0..(PIECE / (300 + 5 * limbs * limbs)).max(1) + 2 {
            if self.iterations() >= iterations {
                break;
            }
            self.push(&mut piece);
            self.advance();
        }
        piece
    }

    fn push(&mut self, piece: &mut Piece) {
        let parts = [0, 1].map(|at| to_parts(&self.z[at], self.bits));
        let exponents = parts.iter().filter(|(mantissa, _)| *mantissa != 0.0);
        let exponent = exponents.map(|(_, exponent)| *exponent).max();
        let exponent = exponent.unwrap_or(ZERO_EXPONENT);
        // A coordinate divided by `2^unit`, flushed to zero if its exponent is below `least`.
        let rounded = |(mantissa, own): (f64, i32), unit: i32, least: i32| {
            if mantissa == 0.0 || own < least {
                0.0
            } else {
                (mantissa * power_of_two(own - unit)) as f32
            }
        };
        let value = parts.map(|part| rounded(part, 0, LEAST));
        let [re, im] = value.map(f64::from);
        let distance = re * re + im * im;
        let mut wide = 0;
        if exponent < SMALL || distance > 4.0 {
            piece.wides.push(WideEntry {
                value: parts.map(|part| rounded(part, exponent, exponent - 60)),
                exponent,
                padding: 0,
            });
            self.wides += 1;
            wide = self.wides;
        }
        piece.entries.push(Entry {
            value,
            wide,
            padding: 0,
        });
        self.entries += 1;
        self.has_escaped = distance > FAR;
    }

    fn advance(&mut self) {
        let [re, im] = &self.z;
        let squares: BigInt = (re + im) * (re - im);
        let product: BigInt = re * im;
        self.z = [
            (squares >> self.bits) + &self.c[0],
            (product >> (self.bits - 1)) + &self.c[1],
        ];
    }
}

#[cfg(test)]
mod tests {
    use super::ReferenceOrbit;
    use crate::view::View;

    fn orbit(re: &str, im: &str, width: &str, iterations: u32) -> Vec<[f32; 2]> {
        let mut orbit = ReferenceOrbit::new(&View::parse(re, im, width).unwrap());
        let mut values = Vec::new();
        while orbit.iterations() < iterations {
            let piece = orbit.extend(iterations);
            assert_eq!(piece.first as usize, values.len());
            values.extend(piece.entries.iter().map(|entry| entry.value));
        }
        values
    }

    #[test]
    fn a_periodic_orbit_stays_periodic() {
        let values = orbit("-1", "0", "1e-3000", 100);
        let expected: Vec<[f32; 2]> = (0..102).map(|n| [-((n % 2) as f32), 0.0]).collect();
        assert_eq!(values, expected);
    }

    #[test]
    fn an_orbit_that_leaves_ends_far_away() {
        let values = orbit("1", "1", "1", 100);
        assert_eq!(values[..3], [[0.0, 0.0], [1.0, 1.0], [1.0, 3.0]]);
        assert_eq!(values.len(), 5);
    }

    #[test]
    fn values_near_zero_have_an_exponent() {
        let mut orbit = ReferenceOrbit::new(&View::parse("1e-200", "-3e-201", "1e-300").unwrap());
        let piece = orbit.extend(1);
        assert_eq!(piece.wides[0].value, [0.0, 0.0]);
        assert_eq!(piece.entries[1].value, [0.0, 0.0]);
        assert_eq!(piece.entries[1].wide, 2);
        let wide = piece.wides[1];
        assert_eq!(wide.exponent, -665);
        assert!((wide.value[1] / wide.value[0] + 0.3).abs() < 1e-6);
        assert!((1.0..2.0).contains(&wide.value[0]));
    }
}
