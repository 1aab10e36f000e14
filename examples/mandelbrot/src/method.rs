//! The arithmetic of the kernel, chosen from board and view.

use std::fmt;

use crate::board::Board;
use crate::view::View;

/// How the kernel iterates a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// `z² + c` in f32.
    Direct,
    /// Perturbation: the difference to the reference orbit, in f32.
    Plain,
    /// Perturbation with differences in f32 with an additional exponent.
    Extended,
}

/// Minimal pixel spacing of the direct method as a power of two: some dozens of f32 numbers lie between
/// adjacent pixels where `c` is about 1.
const DIRECT_SPACING: i32 = -18;
/// Minimal pixel spacing of perturbation in plain f32 as a power of two: differences stay far above the smallest f32.
const PLAIN_SPACING: i32 = -50;

impl Method {
    pub(crate) fn choose(board: Board, view: &View, size: [u32; 2]) -> Self {
        let spacing = view.extent().times(1.0 / f64::from(size[0])).exponent;
        match board {
            Board::Direct => Self::Direct,
            Board::Perturbation => Self::Extended,
            Board::Adaptive if spacing >= DIRECT_SPACING => Self::Direct,
            Board::Adaptive if spacing >= PLAIN_SPACING => Self::Plain,
            Board::Adaptive => Self::Extended,
        }
    }

    /// The constant for it in the kernel.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Direct => 0,
            Self::Plain => 1,
            Self::Extended => 2,
        }
    }

    /// Whether it needs a reference orbit.
    pub(crate) fn has_reference(self) -> bool {
        self != Self::Direct
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Direct => "direct",
            Self::Plain => "perturbation",
            Self::Extended => "perturbation with wide exponents",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Method;
    use crate::board::Board;
    use crate::view::View;

    #[test]
    fn adaptive_goes_by_the_distance_of_pixels() {
        for (width, method) in [
            ("3", Method::Direct),
            ("1e-2", Method::Direct),
            ("1e-4", Method::Plain),
            ("1e-12", Method::Plain),
            ("1e-30", Method::Extended),
            ("1e-3000", Method::Extended),
        ] {
            let view = View::parse("-0.75", "0", width).unwrap();
            let chosen = Method::choose(Board::Adaptive, &view, [640, 480]);
            assert_eq!(chosen, method, "{width}");
        }
    }
}
