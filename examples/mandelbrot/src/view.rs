//! The part of the complex plane that an image shows: a centre in arbitrary precision, and a width.
//!
//! In: decimal texts, pans and zooms. Out: decimal texts, and the centre as a fixed-point number. What always holds:
//! the width is between 2^-20000 and 1024, the magnitudes of the centre's coordinates are at most 1024, and the centre
//! has at least 64 bits more precision than the width.

use num_bigint::BigInt;

use crate::decimal::{Decimal, Malformed, fixed_to_text};
use crate::extent::{Extent, to_fixed};

/// Range of the width's exponent.
const WIDTHS: std::ops::RangeInclusive<i32> = -20_000..=9;
/// Maximal magnitude of the centre's coordinates.
const FARTHEST: u32 = 1024;
/// Fraction bits of the centre beyond those of the width: 16 for the pixels of a row, 64 against rounding errors.
const GUARD_BITS: i32 = 80;

/// Why texts do not describe a view.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// A coordinate or the width is malformed.
    #[error("{what} `{text}` is not a decimal number")]
    NotANumber {
        /// The name of the number.
        what: &'static str,
        /// Its text.
        text: String,
    },
    /// The centre has too many digits or is out of range.
    #[error("{what} `{text}` is out of range: -1024 to 1024, with at most 20000 digits")]
    Centre {
        /// The name of the coordinate.
        what: &'static str,
        /// Its text.
        text: String,
    },
    /// The width is zero, negative, too small or too large.
    #[error("width `{text}` is out of range: 1e-6020 to 1023")]
    Width {
        /// Its text.
        text: String,
    },
}

/// A part of the complex plane.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    re: BigInt,
    im: BigInt,
    /// Number of fraction bits of `re` and `im`.
    bits: u32,
    width: Extent,
}

impl View {
    /// Parses a view from decimal texts such as `-0.75` and `1e-60`.
    ///
    /// ```
    /// let view = mandelbrot::View::parse("-0.75", "0.1", "1e-60")?;
    /// assert_eq!(view.width(), "1e-60");
    /// # Ok::<(), mandelbrot::ViewError>(())
    /// ```
    pub fn parse(re: &str, im: &str, width: &str) -> Result<Self, ViewError> {
        let width_number = number("width", width)?;
        let extent = Extent::from_decimal(&width_number);
        let extent = extent.filter(|extent| WIDTHS.contains(&extent.exponent));
        let extent = extent.ok_or_else(|| ViewError::Width {
            text: shorten(width),
        })?;
        let (re_number, im_number) = (number("re", re)?, number("im", im)?);
        let bits = bits_for(extent);
        let bits = bits.max(re_number.fraction_bits());
        let bits = bits.max(im_number.fraction_bits());
        let coordinate = |what, text, number: Decimal| {
            let value = number.to_fixed(bits);
            let farthest = BigInt::from(FARTHEST) << bits;
            if value.magnitude() <= farthest.magnitude() {
                Ok(value)
            } else {
                Err(ViewError::Centre {
                    what,
                    text: shorten(text),
                })
            }
        };
        Ok(Self {
            re: coordinate("re", re, re_number)?,
            im: coordinate("im", im, im_number)?,
            bits,
            width: extent,
        })
    }

    /// Moves the centre to the right and up, in units of the width. Ignores values that are not finite.
    pub fn pan(&mut self, dx: f64, dy: f64) {
        if !(dx.is_finite() && dy.is_finite()) {
            return;
        }
        self.shift(self.width, (dx, dy));
        self.stay_near();
    }

    /// Divides the width by a factor, around a fixed point given relative to the centre, to the right and up, in units
    /// of the width.
    ///
    /// The width is clamped to its range. Factors that are not positive and finite are ignored.
    pub fn zoom(&mut self, factor: f64, at: (f64, f64)) {
        if !(factor.is_finite() && factor > 0.0 && at.0.is_finite() && at.1.is_finite()) {
            return;
        }
        let width = self.width.times(1.0 / factor.clamp(1e-6, 1e6));
        if !WIDTHS.contains(&width.exponent) {
            return;
        }
        let before = std::mem::replace(&mut self.width, width);
        self.deepen();
        self.shift(before, at);
        self.shift(width, (-at.0, -at.1));
        self.stay_near();
    }

    fn shift(&mut self, width: Extent, (dx, dy): (f64, f64)) {
        for (coordinate, step) in [(&mut self.re, dx), (&mut self.im, dy)] {
            let step = step.clamp(-1e6, 1e6) * width.mantissa;
            *coordinate += to_fixed(step, width.exponent, self.bits);
        }
    }

    /// Clamps the centre to its range.
    fn stay_near(&mut self) {
        let farthest = BigInt::from(FARTHEST) << self.bits;
        for coordinate in [&mut self.re, &mut self.im] {
            if coordinate.magnitude() > farthest.magnitude() {
                *coordinate = BigInt::from_biguint(coordinate.sign(), farthest.magnitude().clone());
            }
        }
    }

    /// Increases the precision of the centre as far as the width needs.
    fn deepen(&mut self) {
        let more = bits_for(self.width).saturating_sub(self.bits);
        self.re <<= more;
        self.im <<= more;
        self.bits += more;
    }

    /// The centre as decimal texts, with as many digits as are significant.
    pub fn centre(&self) -> (String, String) {
        // Eight digits more than the width, far below the size of a pixel.
        let exponent = self.width.exponent.min(0).unsigned_abs();
        let places = exponent * 302 / 1000 + 8;
        (
            fixed_to_text(&self.re, self.bits, places),
            fixed_to_text(&self.im, self.bits, places),
        )
    }

    /// The width as a decimal text with four significant digits.
    pub fn width(&self) -> String {
        self.width.to_text()
    }

    pub(crate) fn extent(&self) -> Extent {
        self.width
    }

    /// The centre as fixed-point numbers with the precision that the width needs, and their number of fraction bits.
    pub(crate) fn fixed_centre(&self) -> ([BigInt; 2], u32) {
        let bits = bits_for(self.width);
        let less = self.bits.saturating_sub(bits);
        ([&self.re >> less, &self.im >> less], bits)
    }
}

fn bits_for(width: Extent) -> u32 {
    (GUARD_BITS - width.exponent).max(GUARD_BITS).unsigned_abs()
}

fn number(what: &'static str, text: &str) -> Result<Decimal, ViewError> {
    Decimal::parse(text).map_err(|malformed| {
        let text = shorten(text);
        match malformed {
            Malformed::NotANumber => ViewError::NotANumber { what, text },
            Malformed::TooLong if what == "width" => ViewError::Width { text },
            Malformed::TooLong => ViewError::Centre { what, text },
        }
    })
}

/// Truncates a long text for a message.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::View;

    #[test]
    fn bad_texts_give_one_message() {
        for (re, im, width, message) in [
            ("x", "0", "1", "re `x` is not a decimal number"),
            ("0", "", "1", "im `` is not a decimal number"),
            ("0", "0", "NaN", "width `NaN` is not a decimal number"),
            ("0", "0", "0", "width `0` is out of range: 1e-6020 to 1023"),
            (
                "0",
                "0",
                "-1",
                "width `-1` is out of range: 1e-6020 to 1023",
            ),
            (
                "0",
                "0",
                "1e999999",
                "width `1e999999` is out of range: 1e-6020 to 1023",
            ),
            (
                "0",
                "0",
                "1e-7000",
                "width `1e-7000` is out of range: 1e-6020 to 1023",
            ),
            (
                "2000",
                "0",
                "1",
                "re `2000` is out of range: -1024 to 1024, with at most 20000 digits",
            ),
            (
                "0",
                "1e99999",
                "1",
                "im `1e99999` is out of range: -1024 to 1024, with at most 20000 digits",
            ),
        ] {
            let error = View::parse(re, im, width).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
        let long = "z".repeat(1000);
        let error = View::parse(&long, "0", "1").unwrap_err().to_string();
        assert!(error.len() < 100, "{error}");
    }

    #[test]
    fn a_pan_moves_by_fractions_of_the_width() {
        let mut view = View::parse("1", "0.5", "1e-40").unwrap();
        view.pan(0.25, -1.0);
        let (re, im) = view.centre();
        assert_eq!(re, format!("1.{}25", "0".repeat(40)));
        assert_eq!(im, format!("0.4{}", "9".repeat(39)));
        view.pan(f64::NAN, 0.0);
        view.pan(0.0, f64::INFINITY);
        assert_eq!(view.centre(), (re, im));
    }

    #[test]
    fn a_zoom_keeps_its_point() {
        let mut view = View::parse("0", "0", "4").unwrap();
        view.zoom(2.0, (0.25, 0.25));
        // The point (1, 1) is still a quarter of the width to the right and up.
        assert_eq!(view.centre(), ("0.5".to_owned(), "0.5".to_owned()));
        assert_eq!(view.width(), "2");
        for _ in 0..3000 {
            view.zoom(4.0, (0.0, 0.0));
        }
        assert_eq!(view.centre().0, "0.5");
        for factor in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let before = view.clone();
            view.zoom(factor, (0.0, 0.0));
            assert_eq!(view, before);
        }
    }

    #[test]
    fn the_width_stops_at_its_limits() {
        let mut view = View::parse("0", "0", "4").unwrap();
        for _ in 0..30_000 {
            view.zoom(2.0, (0.0, 0.0));
        }
        assert_eq!(view.width(), "2.512e-6021");
        for _ in 0..40_000 {
            view.zoom(0.5, (0.0, 0.0));
        }
        assert_eq!(view.width(), "5.12e2");
    }

    #[test]
    fn a_view_survives_its_texts() {
        let mut view = View::parse("-0.75", "0.1", "1e-30").unwrap();
        view.pan(0.123, 0.456);
        let (re, im) = view.centre();
        let again = View::parse(&re, &im, &view.width()).unwrap();
        assert_eq!(again.centre(), view.centre());
    }
}
