//! The functions, what they are exactly, and how far off they may be.

use crate::tolerance::{self, Tolerance};

/// A builtin function of one `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// As WGSL calls it.
    pub name: &'static str,
    pub(super) exact: fn(f64) -> f64,
    pub(super) bound: Bound,
    pub(super) unit: Unit,
}

/// How far a result may be off.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    /// Not at all, beyond one correct rounding.
    Rounded,
    Within(&'static Tolerance),
}

/// What errors are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Units in the last place.
    Ulp,
    /// Where small results of large arguments are not expected to be close in proportion.
    Absolute,
    /// By how much the angle of a tangent with that error is off.
    Angle,
}

impl Function {
    /// Whether widths may differ inside the bound: it begins with an estimate of the machine's, of which each has its own.
    pub fn is_estimated(&self) -> bool {
        self.name == "inverseSqrt"
    }

    /// The function of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        FUNCTIONS.iter().find(|it| it.name == name)
    }

    /// The bound's name.
    pub fn bound(&self) -> &'static str {
        match self.bound {
            Bound::Rounded => "correctly rounded",
            Bound::Within(tolerance) => tolerance.name,
        }
    }

    /// What its errors are counted in.
    pub fn unit(&self) -> &'static str {
        match self.unit {
            Unit::Ulp => "ULP",
            Unit::Absolute => "absolute",
            Unit::Angle => "of angle",
        }
    }
}

const fn rounded(name: &'static str, exact: fn(f64) -> f64) -> Function {
    Function {
        name,
        exact,
        bound: Bound::Rounded,
        unit: Unit::Ulp,
    }
}

const fn within(
    name: &'static str,
    exact: fn(f64) -> f64,
    tolerance: &'static Tolerance,
) -> Function {
    Function {
        name,
        exact,
        bound: Bound::Within(tolerance),
        unit: Unit::Ulp,
    }
}

const fn absolutely(
    name: &'static str,
    exact: fn(f64) -> f64,
    tolerance: &'static Tolerance,
) -> Function {
    Function {
        unit: Unit::Absolute,
        ..within(name, exact, tolerance)
    }
}

/// The evaluator gives zero for what is not a number, as for zeros.
fn sign(x: f64) -> f64 {
    match x {
        _ if x > 0.0 => 1.0,
        _ if x < 0.0 => -1.0,
        _ => 0.0,
    }
}

/// A number wins against what is none.
fn saturate(x: f64) -> f64 {
    let at_least_zero = x.max(0.0);
    at_least_zero.min(1.0)
}

/// The standard library's function gives a number below -1.
fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { x.acosh() }
}

/// All of them, by name.
pub const FUNCTIONS: &[Function] = &[
    rounded("abs", f64::abs),
    within(
        "acos",
        f64::acos,
        &tolerance::ACOS_ABS_6_77E_MINUS_5_OR_INHERITED,
    ),
    within("acosh", acosh, &tolerance::ACOSH_INHERITED),
    within(
        "asin",
        f64::asin,
        &tolerance::ASIN_ABS_6_81E_MINUS_5_OR_INHERITED,
    ),
    within("asinh", f64::asinh, &tolerance::ASINH_INHERITED),
    within("atan", f64::atan, &tolerance::ATAN_ULP_4096),
    within("atanh", f64::atanh, &tolerance::ATANH_INHERITED),
    rounded("ceil", f64::ceil),
    absolutely("cos", f64::cos, &tolerance::COS_ABS_2POW_MINUS_11),
    within("cosh", f64::cosh, &tolerance::COSH_INHERITED),
    within("degrees", f64::to_degrees, &tolerance::DEGREES_ULP_3),
    within("exp", f64::exp, &tolerance::EXP_ULP_3_PLUS_2X),
    within("exp2", f64::exp2, &tolerance::EXP2_ULP_3_PLUS_2X),
    rounded("floor", f64::floor),
    rounded("fract", |x| x - x.floor()),
    within(
        "inverseSqrt",
        |x| 1.0 / x.sqrt(),
        &tolerance::INVERSE_SQRT_ULP_2,
    ),
    within("log", f64::ln, &tolerance::LOG_ABS_2POW_MINUS_21_OR_ULP_3),
    within(
        "log2",
        f64::log2,
        &tolerance::LOG2_ABS_2POW_MINUS_21_OR_ULP_3,
    ),
    within("radians", f64::to_radians, &tolerance::RADIANS_ULP_3),
    rounded("round", f64::round_ties_even),
    rounded("saturate", saturate),
    rounded("sign", sign),
    absolutely("sin", f64::sin, &tolerance::SIN_ABS_2POW_MINUS_11),
    within("sinh", f64::sinh, &tolerance::SINH_INHERITED),
    within("sqrt", f64::sqrt, &tolerance::SQRT_INHERITED),
    Function {
        unit: Unit::Angle,
        ..within("tan", f64::tan, &tolerance::TAN_INHERITED)
    },
    within(
        "tanh",
        f64::tanh,
        &tolerance::TANH_ABS_1E_MINUS_5_OR_INHERITED,
    ),
    rounded("trunc", f64::trunc),
];
