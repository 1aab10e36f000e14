//! Interval arithmetic with WGSL's accuracy: intervals of real numbers that each operation widens by the error that
//! WGSL allows for an `f32` result.
//!
//! WGSL defines the accuracy of many builtins as "inherited from" an expression. Evaluating that expression here
//! gives the set of results that an implementation may return. Source: "Floating Point Accuracy" in the WGSL
//! specification. The difference: the specification lets subnormals flush to zero; these intervals do not widen for
//! it.

/// A closed interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    low: f64,
    high: f64,
}

/// The distance of the two `f32` values that enclose a real number (WGSL's ULP).
fn ulp(x: f64) -> f64 {
    let exponent = if x == 0.0 {
        -126
    } else {
        (x.abs().log2().floor() as i32).clamp(-126, 127)
    };
    2f64.powi(exponent - 23)
}

/// The distance of the two `f16` values that enclose a real number.
fn half_ulp(x: f64) -> f64 {
    let exponent = x.abs().log2().floor().clamp(-14.0, 15.0);
    2f64.powi(exponent as i32 - 10)
}

impl Interval {
    /// A single number.
    pub fn exactly(x: f64) -> Self {
        Self { low: x, high: x }
    }

    /// All numbers at most `error` away from `x`.
    pub fn around(x: f64, error: f64) -> Self {
        Self::exactly(x).widened(error)
    }

    /// All numbers at most `count` ULP away from `x`.
    pub fn ulps(x: f64, count: f64) -> Self {
        Self::exactly(x).widened_ulps(count)
    }

    /// All numbers at most `count` ULP of `f16` away from `x`.
    pub fn half_ulps(x: f64, count: f64) -> Self {
        Self::around(x, count * half_ulp(x))
    }

    /// Whether `x` lies inside.
    pub fn contains(self, x: f64) -> bool {
        self.low <= x && x <= self.high
    }

    /// The smallest interval around both: WGSL's "worse of".
    pub fn or(self, other: Self) -> Self {
        Self {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    /// Grown at both ends by an absolute error.
    pub fn widened(self, error: f64) -> Self {
        Self {
            low: self.low - error,
            high: self.high + error,
        }
    }

    /// Grown at each end by ULPs of that end.
    pub fn widened_ulps(self, count: f64) -> Self {
        Self {
            low: self.low - count * ulp(self.low),
            high: self.high + count * ulp(self.high),
        }
    }

    /// Without numbers below zero, for the argument of a square root.
    pub fn clamped_at_zero(self) -> Self {
        Self {
            low: self.low.max(0.0),
            high: self.high.max(0.0),
        }
    }

    /// The image of the ends under a monotonic function.
    fn monotonic(self, function: impl Fn(f64) -> f64) -> Self {
        Self::spanning([function(self.low), function(self.high)])
    }

    fn spanning(ends: impl IntoIterator<Item = f64>) -> Self {
        let mut hull = Self {
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
        };
        for end in ends {
            // 0 * inf and similar are undefined: any result is allowed.
            let end = if end.is_nan() {
                Self::everything()
            } else {
                Self::exactly(end)
            };
            hull = hull.or(end);
        }
        hull
    }

    fn everything() -> Self {
        Self {
            low: f64::NEG_INFINITY,
            high: f64::INFINITY,
        }
    }

    fn corners(self, other: Self, function: impl Fn(f64, f64) -> f64) -> Self {
        Self::spanning([
            function(self.low, other.low),
            function(self.low, other.high),
            function(self.high, other.low),
            function(self.high, other.high),
        ])
    }

    /// "Correctly rounded" allows either neighbouring `f32`.
    fn rounded(self) -> Self {
        self.widened_ulps(1.0)
    }

    /// `self + other`, correctly rounded.
    pub fn plus(self, other: Self) -> Self {
        self.corners(other, |a, b| a + b).rounded()
    }

    /// `self - other`, correctly rounded.
    pub fn minus(self, other: Self) -> Self {
        self.corners(other, |a, b| a - b).rounded()
    }

    /// `self * other`, correctly rounded.
    pub fn times(self, other: Self) -> Self {
        self.corners(other, |a, b| a * b).rounded()
    }

    /// `self / other`: 2.5 ULP.
    pub fn over(self, other: Self) -> Self {
        if other.contains(0.0) {
            return Self::everything();
        }
        self.corners(other, |a, b| a / b).widened_ulps(2.5)
    }

    /// `inverseSqrt(self)`: 2 ULP.
    pub fn inverse_sqrt(self) -> Self {
        self.monotonic(|x| 1.0 / x.sqrt()).widened_ulps(2.0)
    }

    /// `sqrt(self)`: inherited from `1.0 / inverseSqrt(x)`.
    pub fn sqrt(self) -> Self {
        Self::exactly(1.0).over(self.inverse_sqrt())
    }

    /// `exp(self)`: 3 + 2 |x| ULP.
    pub fn exp(self) -> Self {
        let reach = self.low.abs().max(self.high.abs());
        self.monotonic(f64::exp).widened_ulps(3.0 + 2.0 * reach)
    }

    /// `exp2(self)`: 3 + 2 |x| ULP.
    pub fn exp2(self) -> Self {
        let reach = self.low.abs().max(self.high.abs());
        self.monotonic(f64::exp2).widened_ulps(3.0 + 2.0 * reach)
    }

    /// `log(self)`: 2^-21 absolute on [0.5, 2], 3 ULP elsewhere.
    pub fn log(self) -> Self {
        self.logarithm(f64::ln)
    }

    /// `log2(self)`: 2^-21 absolute on [0.5, 2], 3 ULP elsewhere.
    pub fn log2(self) -> Self {
        self.logarithm(f64::log2)
    }

    fn logarithm(self, function: impl Fn(f64) -> f64) -> Self {
        let touches_one = self.low <= 2.0 && self.high >= 0.5;
        let exact = self.monotonic(function);
        if touches_one {
            exact.widened(2f64.powi(-21)).or(exact.widened_ulps(3.0))
        } else {
            exact.widened_ulps(3.0)
        }
    }

    /// `atan2(self, x)`: 4096 ULP.
    pub fn atan2(self, x: Self) -> Self {
        self.corners(x, f64::atan2).widened_ulps(4096.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{Interval, ulp};

    #[test]
    fn half_ulp_is_the_gap_between_halves() {
        assert_eq!(super::half_ulp(1.0), 2f64.powi(-10));
        assert_eq!(super::half_ulp(-2047.0), 1.0);
        assert_eq!(super::half_ulp(0.0), 2f64.powi(-24));
        assert_eq!(super::half_ulp(65504.0), 32.0);
    }

    #[test]
    fn ulp_is_the_gap_between_floats() {
        assert_eq!(ulp(1.0), f64::from(f32::EPSILON));
        assert_eq!(ulp(-3.0), f64::from(f32::EPSILON) * 2.0);
        assert_eq!(ulp(0.0), 2f64.powi(-149));
        assert_eq!(ulp(1e-40), 2f64.powi(-149));
    }

    #[test]
    fn division_by_an_interval_around_zero_allows_anything() {
        let around_zero = Interval::around(0.0, 1e-10);
        assert!(Interval::exactly(1.0).over(around_zero).contains(-1e30));
    }

    #[test]
    fn inherited_square_root_is_a_few_ulps_wide() {
        let root = Interval::exactly(2.0).sqrt();
        let exact = 2f64.sqrt();
        assert!(root.contains(exact + 3.0 * ulp(exact)));
        assert!(!root.contains(exact + 8.0 * ulp(exact)));
    }
}
