//! The builtin functions that are measured: their exact counterparts and error bounds.

use crate::tolerance::{self, Tolerance};

/// A builtin function of one `f32`.
#[derive(Clone, Copy, Debug)]
pub struct BuiltinFunction {
    /// The name in WGSL.
    pub name: &'static str,
    pub(super) exact: fn(f64) -> f64,
    pub(super) bound: Bound,
    pub(super) unit: Unit,
}

/// The error bound of a function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bound {
    /// The correctly rounded result is required.
    Rounded,
    Within(&'static Tolerance),
}

/// The unit of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Units in the last place.
    Ulp,
    /// The absolute error, for functions with small results for large arguments, where a relative error would not be
    /// meaningful.
    Absolute,
    /// The error of the angle that an error of the tangent corresponds to.
    Angle,
}

impl BuiltinFunction {
    /// Whether results may differ between vector widths within the bound: the function starts from the CPU's
    /// reciprocal or reciprocal-square-root estimate, which depends on the instruction set.
    pub fn is_estimated(&self) -> bool {
        self.name == "inverseSqrt"
    }

    /// The function with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }

    /// The name of the bound.
    pub fn bound(&self) -> &'static str {
        match self.bound {
            Bound::Rounded => "correctly rounded",
            Bound::Within(tolerance) => tolerance.name,
        }
    }

    /// The name of the error unit.
    pub fn unit(&self) -> &'static str {
        match self.unit {
            Unit::Ulp => "ULP",
            Unit::Absolute => "absolute",
            Unit::Angle => "of angle",
        }
    }
}

const fn rounded(name: &'static str, exact: fn(f64) -> f64) -> BuiltinFunction {
    BuiltinFunction {
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
) -> BuiltinFunction {
    BuiltinFunction {
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
) -> BuiltinFunction {
    BuiltinFunction {
        unit: Unit::Absolute,
        ..within(name, exact, tolerance)
    }
}

/// The interpreter returns zero for NaN, as for zeros.
fn sign(x: f64) -> f64 {
    match x {
        _ if x > 0.0 => 1.0,
        _ if x < 0.0 => -1.0,
        _ => 0.0,
    }
}

/// If one operand is NaN, the other one is the result.
fn saturate(x: f64) -> f64 {
    let at_least_zero = x.max(0.0);
    at_least_zero.min(1.0)
}

/// The standard library returns a number for arguments below -1.
fn acosh(x: f64) -> f64 {
    if x < 1.0 { f64::NAN } else { x.acosh() }
}

/// All functions, by name.
pub const FUNCTIONS: &[BuiltinFunction] = &[
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
    BuiltinFunction {
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
