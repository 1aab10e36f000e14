//! Pixel coordinates: one number per column and one per row.
//!
//! In: a view and a size. Out: f32 numbers, each rounded once from the exact value, with a common exponent. For the
//! direct method they are absolute coordinates, for perturbation they are relative to the centre. The kernel does not
//! compute coordinates, so they cannot differ between devices.

use num_bigint::BigInt;

use crate::extent::{Extent, leading, power_of_two, split, to_fixed};
use crate::method::Method;
use crate::view::View;

/// Coordinates below this are flushed to zero, because their squares would be subnormal on some devices.
const LEAST_COORDINATE: f32 = 1.0 / (1_u64 << 40) as f32;

/// The coordinates of the columns from the left, then of the rows from the top.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Grid {
    pub(crate) places: Vec<f32>,
    /// The common exponent: coordinates are multiplied by two to this power.
    pub(crate) exponent: i32,
}

impl Grid {
    pub(crate) fn new(view: &View, size: [u32; 2], method: Method) -> Self {
        let width = view.extent();
        let offsets = offsets(size);
        match method {
            Method::Direct => Self {
                places: coordinates(view, size, offsets),
                exponent: 0,
            },
            Method::Plain => {
                let width = width.to_f64();
                Self {
                    places: offsets.map(|offset| (offset * width) as f32).collect(),
                    exponent: 0,
                }
            }
            Method::Extended => {
                // The kernel supports exponents up to 0.
                let exponent = width.exponent.min(0);
                let unit = width.mantissa * power_of_two(width.exponent - exponent);
                Self {
                    places: offsets.map(|offset| (offset * unit) as f32).collect(),
                    exponent,
                }
            }
        }
    }
}

/// Distances of pixel centres from the image centre, in units of the width; rows go down.
fn offsets(size: [u32; 2]) -> impl Iterator<Item = f64> {
    let [width, height] = size.map(f64::from);
    let columns = (0..size[0]).map(move |x| (2.0 * f64::from(x) + 1.0 - width) / (2.0 * width));
    let rows = (0..size[1]).map(move |y| (height - 1.0 - 2.0 * f64::from(y)) / (2.0 * width));
    columns.chain(rows)
}

fn coordinates(view: &View, size: [u32; 2], offsets: impl Iterator<Item = f64>) -> Vec<f32> {
    let ([re, im], bits) = view.fixed_centre();
    let Extent { mantissa, exponent } = view.extent();
    let centre = |at: usize| if at < size[0] as usize { &re } else { &im };
    let place = |(at, offset): (usize, f64)| {
        let exact = centre(at) + to_fixed(offset * mantissa, exponent, bits);
        let rounded = to_f32(&exact, bits);
        if rounded.abs() < LEAST_COORDINATE {
            0.0
        } else {
            rounded
        }
    };
    offsets.enumerate().map(place).collect()
}

/// The nearest f32 of a fixed-point number; subnormal numbers are flushed to zero.
pub(crate) fn to_f32(value: &BigInt, bits: u32) -> f32 {
    let (mantissa, exponent) = to_parts(value, bits);
    (mantissa * power_of_two(exponent.max(-1000))) as f32
}

/// A fixed-point number as a mantissa with a magnitude in [1, 2) and an exponent.
pub(crate) fn to_parts(value: &BigInt, bits: u32) -> (f64, i32) {
    let (mantissa, exponent) = leading(value.magnitude());
    let (mantissa, carry) = split(mantissa);
    let sign = match value.sign() {
        num_bigint::Sign::Minus => -1.0,
        _ => 1.0,
    };
    // `view` ensures fewer than 2^17 bits.
    (sign * mantissa, exponent + carry - bits as i32)
}

#[cfg(test)]
mod tests {
    use super::Grid;
    use crate::method::Method;
    use crate::view::View;

    #[test]
    fn pixels_lie_about_the_centre() {
        let view = View::parse("-0.5", "0.25", "4").unwrap();
        let direct = Grid::new(&view, [4, 2], Method::Direct);
        assert_eq!(direct.places, [-2.0, -1.0, 0.0, 1.0, 0.75, -0.25]);
        let plain = Grid::new(&view, [4, 2], Method::Plain);
        assert_eq!(plain.places, [-1.5, -0.5, 0.5, 1.5, 0.5, -0.5]);
    }

    #[test]
    fn deep_places_share_an_exponent() {
        let view = View::parse("0", "0", "1e-400").unwrap();
        let deep = Grid::new(&view, [2, 1], Method::Extended);
        assert_eq!(deep.exponent, -1329);
        assert_eq!(deep.places[0], -deep.places[1]);
        assert_eq!(deep.places[2], 0.0);
    }
}
