//! Error bounds of results, by name. Exact is the default.
//!
//! Each constant states one row of WGSL's "Floating Point Accuracy" tables. A tolerance maps the expected value, and
//! the arguments of the builtin if the bound depends on them, to the interval of accepted results. A case names it:
//! `within EXP_ULP_3_PLUS_2X of 0:0`.

use crate::interval::Interval;

/// A named bound on the error of a result.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// The name that cases use.
    pub name: &'static str,
    /// The number of arguments of the builtin that the bound depends on.
    pub arguments: usize,
    bound: fn(f64, &[f64]) -> Interval,
}

impl Tolerance {
    /// The tolerance with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        TABLE.iter().find(|tolerance| tolerance.name == name)
    }

    /// The interval of accepted results.
    pub fn accepts(&self, expected: f64, arguments: &[f64]) -> Interval {
        assert_eq!(arguments.len(), self.arguments);
        (self.bound)(expected, arguments)
    }
}

/// One definition generates the constant, its name and its row in the table.
macro_rules! tolerances {
    ($($(#[$doc:meta])* $name:ident($arguments:literal) = $bound:expr;)*) => {
        $($(#[$doc])* pub const $name: Tolerance = Tolerance {
            name: stringify!($name),
            arguments: $arguments,
            bound: $bound,
        };)*

        /// Every tolerance.
        pub const TABLE: &[Tolerance] = &[$($name),*];
    };
}

fn exactly(x: f64) -> Interval {
    Interval::exactly(x)
}

fn sinh(x: Interval, negated: Interval) -> Interval {
    x.exp().minus(negated.exp()).times(exactly(0.5))
}

fn cosh(x: Interval, negated: Interval) -> Interval {
    x.exp().plus(negated.exp()).times(exactly(0.5))
}

tolerances! {
    /// `x / y`: 2.5 ULP.
    DIV_ULP_2_5(0) = |expected, _| Interval::ulps(expected, 2.5);
    /// `inverseSqrt(x)`: 2 ULP.
    INVERSE_SQRT_ULP_2(0) = |expected, _| Interval::ulps(expected, 2.0);
    /// `sqrt(x)`: inherited from `1.0 / inverseSqrt(x)`.
    SQRT_INHERITED(1) = |_, x| exactly(x[0]).sqrt();
    /// `length` and `distance`: `sqrt(dot(x, x))`. At most 6.5 ULP come from the square root (2 ULP
    /// of the reciprocal count up to twice in the quotient, which adds 2.5). The bound holds where
    /// the dot product is exact, so cases choose such vectors.
    LENGTH_ULP_6_5(0) = |expected, _| Interval::ulps(expected, 6.5);
    /// `normalize(x)`: `x / length(x)`, up to twice the 6.5 ULP of the length and 2.5 ULP for the
    /// quotient; the dot product inside must be exact.
    NORMALIZE_ULP_15_5(0) = |expected, _| Interval::ulps(expected, 15.5);
    /// `refract`: inherited; for vectors of length 1 and a ratio below 2 each of its seven rounded
    /// steps is at most one ULP of 1, and the root adds 6.5.
    REFRACT_ABS_2POW_MINUS_19(0) = |expected, _| Interval::around(expected, 2f64.powi(-19));
    /// `sin(x)`: 2^-11 absolute for x in [-pi, pi].
    SIN_ABS_2POW_MINUS_11(0) = |expected, _| Interval::around(expected, 2f64.powi(-11));
    /// `cos(x)`: 2^-11 absolute for x in [-pi, pi].
    COS_ABS_2POW_MINUS_11(0) = |expected, _| Interval::around(expected, 2f64.powi(-11));
    /// `tan(x)`: inherited from `sin(x) / cos(x)`.
    TAN_INHERITED(1) = |_, x| {
        let error = 2f64.powi(-11);
        Interval::around(x[0].sin(), error).over(Interval::around(x[0].cos(), error))
    };
    /// `asin(x)`: 6.81e-5 absolute, or inherited from `atan2(x, sqrt(1.0 - x * x))`.
    ASIN_ABS_6_81E_MINUS_5_OR_INHERITED(1) = |_, x| {
        let around = Interval::around(x[0].asin(), 6.81e-5);
        let x = exactly(x[0]);
        let cosine = exactly(1.0).minus(x.times(x)).clamped_at_zero().sqrt();
        around.or(x.atan2(cosine))
    };
    /// `acos(x)`: 6.77e-5 absolute, or inherited from `atan2(sqrt(1.0 - x * x), x)`.
    ACOS_ABS_6_77E_MINUS_5_OR_INHERITED(1) = |_, x| {
        let around = Interval::around(x[0].acos(), 6.77e-5);
        let x = exactly(x[0]);
        let sine = exactly(1.0).minus(x.times(x)).clamped_at_zero().sqrt();
        around.or(sine.atan2(x))
    };
    /// `atan(x)`: 4096 ULP.
    ATAN_ULP_4096(0) = |expected, _| Interval::ulps(expected, 4096.0);
    /// `atan2(y, x)`: 4096 ULP.
    ATAN2_ULP_4096(0) = |expected, _| Interval::ulps(expected, 4096.0);
    /// `sinh(x)`: inherited from `(exp(x) - exp(-x)) * 0.5`.
    SINH_INHERITED(1) = |_, x| sinh(exactly(x[0]), exactly(-x[0]));
    /// `cosh(x)`: inherited from `(exp(x) + exp(-x)) * 0.5`.
    COSH_INHERITED(1) = |_, x| cosh(exactly(x[0]), exactly(-x[0]));
    /// `tanh(x)`: 1e-5 absolute, or inherited from `sinh(x) / cosh(x)`.
    TANH_ABS_1E_MINUS_5_OR_INHERITED(1) = |_, x| {
        let around = Interval::around(x[0].tanh(), 1e-5);
        let (x, negated) = (exactly(x[0]), exactly(-x[0]));
        around.or(sinh(x, negated).over(cosh(x, negated)))
    };
    /// `asinh(x)`: inherited from `log(x + sqrt(x * x + 1.0))`.
    ASINH_INHERITED(1) = |_, x| {
        let x = exactly(x[0]);
        x.plus(x.times(x).plus(exactly(1.0)).sqrt()).log()
    };
    /// `acosh(x)`: inherited from `log(x + sqrt(x * x - 1.0))`.
    ACOSH_INHERITED(1) = |_, x| {
        let x = exactly(x[0]);
        x.plus(x.times(x).minus(exactly(1.0)).clamped_at_zero().sqrt()).log()
    };
    /// `atanh(x)`: inherited from `log((1.0 + x) / (1.0 - x)) * 0.5`.
    ATANH_INHERITED(1) = |_, x| {
        let (one, x) = (exactly(1.0), exactly(x[0]));
        one.plus(x).over(one.minus(x)).log().times(exactly(0.5))
    };
    /// `exp(x)`: 3 + 2 |x| ULP.
    EXP_ULP_3_PLUS_2X(1) = |expected, x| Interval::ulps(expected, 3.0 + 2.0 * x[0].abs());
    /// `exp2(x)`: 3 + 2 |x| ULP.
    EXP2_ULP_3_PLUS_2X(1) = |expected, x| Interval::ulps(expected, 3.0 + 2.0 * x[0].abs());
    /// `log(x)`: 2^-21 absolute for x in [0.5, 2], 3 ULP elsewhere.
    LOG_ABS_2POW_MINUS_21_OR_ULP_3(1) = |_, x| exactly(x[0]).log();
    /// `log2(x)`: 2^-21 absolute for x in [0.5, 2], 3 ULP elsewhere.
    LOG2_ABS_2POW_MINUS_21_OR_ULP_3(1) = |_, x| exactly(x[0]).log2();
    /// `pow(x, y)`: inherited from `exp2(y * log2(x))`.
    POW_INHERITED(2) = |_, x| exactly(x[1]).times(exactly(x[0]).log2()).exp2();
    /// `radians(x)`: inherited from a product; the constant rounds once, the product once.
    RADIANS_ULP_3(0) = |expected, _| Interval::ulps(expected, 3.0);
    /// `degrees(x)`: inherited from a product; the constant rounds once, the product once.
    DEGREES_ULP_3(0) = |expected, _| Interval::ulps(expected, 3.0);
    /// `mix(x, y, z)`: inherited from `x * (1.0 - z) + y * z`.
    MIX_INHERITED(3) = |_, x| {
        let (from, to, part) = (exactly(x[0]), exactly(x[1]), exactly(x[2]));
        from.times(exactly(1.0).minus(part)).plus(to.times(part))
    };
    /// `smoothstep`: inherited; the 2.5 ULP of the quotient count up to three times (the slope is at
    /// most 1.5), and five more roundings, each at most one ULP of 1.
    SMOOTHSTEP_ABS_2POW_MINUS_20(0) = |expected, _| Interval::around(expected, 2f64.powi(-20));
    /// `unpack4x8unorm` and similar functions: 3 ULP.
    UNPACK_ULP_3(0) = |expected, _| Interval::ulps(expected, 3.0);
    /// `x / y` of `f16`: 2.5 ULP.
    F16_DIV_ULP_2_5(0) = |expected, _| Interval::half_ulps(expected, 2.5);
    /// `inverseSqrt(x)` of `f16`: 2 ULP.
    F16_INVERSE_SQRT_ULP_2(0) = |expected, _| Interval::half_ulps(expected, 2.0);
    /// `sqrt(x)` of `f16`: inherited from `1.0 / inverseSqrt(x)`, as `LENGTH_ULP_6_5` counts it.
    F16_SQRT_ULP_6_5(0) = |expected, _| Interval::half_ulps(expected, 6.5);
    /// `length` and `distance` of `f16`, where the dot product is exact.
    F16_LENGTH_ULP_6_5(0) = |expected, _| Interval::half_ulps(expected, 6.5);
    /// `normalize(x)` of `f16`, as `NORMALIZE_ULP_15_5` counts it.
    F16_NORMALIZE_ULP_15_5(0) = |expected, _| Interval::half_ulps(expected, 15.5);
    /// `exp(x)` and `exp2(x)` of `f16`: 1 + 2 |x| ULP.
    F16_EXP_ULP_1_PLUS_2X(1) = |expected, x| {
        Interval::half_ulps(expected, 1.0 + 2.0 * x[0].abs())
    };
    /// `log(x)` and `log2(x)` of `f16`: 2^-7 absolute for x in [0.5, 2], 3 ULP elsewhere.
    F16_LOG_ABS_2POW_MINUS_7_OR_ULP_3(1) = |expected, x| {
        if (0.5..=2.0).contains(&x[0]) {
            Interval::around(expected, 2f64.powi(-7))
        } else {
            Interval::half_ulps(expected, 3.0)
        }
    };
    /// `pow(x, y)` of `f16`: inherited from `exp2(y * log2(x))`. The exponent is off by at most 3 ULP
    /// of a logarithm below 4, times |y| up to 3, and the power by 1 + 2 |exponent| ULP more: for
    /// results up to 64 that is less than one part in 16.
    F16_POW_REL_16TH(0) = |expected, _| Interval::around(expected, expected.abs() / 16.0);
    /// `sin(x)` and `cos(x)` of `f16`: 2^-7 absolute for x in [-pi, pi].
    F16_ABS_2POW_MINUS_7(0) = |expected, _| Interval::around(expected, 2f64.powi(-7));
    /// `atan(x)` of `f16`: 5 ULP.
    F16_ATAN_ULP_5(0) = |expected, _| Interval::half_ulps(expected, 5.0);
    /// Functions of `f64`, which WGSL does not have: Anywarp's own bound is 4 ULP.
    F64_ULP_4(0) = |expected, _| Interval::around(expected, expected.abs() * 4.0 * f64::EPSILON);
}

#[cfg(test)]
mod tests {
    use super::{ASIN_ABS_6_81E_MINUS_5_OR_INHERITED, POW_INHERITED, TABLE, Tolerance};

    #[test]
    fn every_tolerance_is_found_by_its_name() {
        for tolerance in TABLE {
            assert!(Tolerance::named(tolerance.name).is_some());
        }
        assert!(Tolerance::named("ANYTHING_GOES").is_none());
    }

    #[test]
    fn an_inherited_bound_holds_the_exact_result_and_not_much_more() {
        let bound = POW_INHERITED.accepts(8.0, &[2.0, 3.0]);
        assert!(bound.contains(8.0));
        assert!(!bound.contains(8.001));
    }
    #[test]
    fn a_wrong_expectation_does_not_stretch_the_worse_of_two_bounds() {
        let bound = ASIN_ABS_6_81E_MINUS_5_OR_INHERITED.accepts(0.6, &[0.5]);
        assert!(bound.contains(0.5f64.asin()));
        assert!(!bound.contains(0.6));
    }
}
