//! Functions of f32 and its vectors, component by component.

use gpu_sdk::operators::{add, divide, multiply, negate, remainder, subtract, to_i32, to_u32};
use gpu_sdk::*;

use crate::math::harness::{check, check_all};

#[test]
fn rounding() {
    check_all!(f32, "ceil(x)", |x| ceil(x));
    check_all!(f32, "floor(x)", |x| floor(x));
    check_all!(f32, "round(x)", |x| round(x));
    check_all!(f32, "trunc(x)", |x| trunc(x));
    check_all!(f32, "fract(x)", |x| fract(x));
    check_all!(f32, "quantizeToF16(x)", |x| quantize_to_f16(x));
}

#[test]
fn ranges_and_signs() {
    check_all!(f32, "abs(x)", |x| abs(x));
    check_all!(f32, "sign(x)", |x| sign(x));
    check_all!(f32, "saturate(x)", |x| saturate(x));
    check_all!(f32, "min(x, y)", |x, y| min(x, y));
    check_all!(f32, "max(x, y)", |x, y| max(x, y));
    check_all!(f32, "clamp(x, y, z)", |x, y, z| clamp(x, y, z));
    check_all!(f32, "step(x, y)", |x, y| step(x, y));
    check_all!(f32, "smoothstep(x, y, z)", |x, y, z| smoothstep(x, y, z));
    check_all!(f32, "mix(x, y, z)", |x, y, z| mix(x, y, z));
    check!("mix(x, y, z)", |x: Vec3f, y: Vec3f, z: f32| -> Vec3f {
        mix(x, y, z)
    });
}

#[test]
fn roots_and_angles() {
    check_all!(f32, "sqrt(x)", |x| sqrt(x));
    check_all!(f32, "inverseSqrt(x)", |x| inverse_sqrt(x));
    check_all!(f32, "fma(x, y, z)", |x, y, z| fma(x, y, z));
    check_all!(f32, "radians(x)", |x| radians(x));
    check_all!(f32, "degrees(x)", |x| degrees(x));
}

#[test]
fn trigonometry() {
    check_all!(f32, "sin(x)", |x| sin(x));
    check_all!(f32, "cos(x)", |x| cos(x));
    check_all!(f32, "tan(x)", |x| tan(x));
    check_all!(f32, "asin(x)", |x| asin(x));
    check_all!(f32, "acos(x)", |x| acos(x));
    check_all!(f32, "atan(x)", |x| atan(x));
    check_all!(f32, "atan2(x, y)", |x, y| atan2(x, y));
    check_all!(f32, "sinh(x)", |x| sinh(x));
    check_all!(f32, "cosh(x)", |x| cosh(x));
    check_all!(f32, "tanh(x)", |x| tanh(x));
    check_all!(f32, "asinh(x)", |x| asinh(x));
    check_all!(f32, "acosh(x)", |x| acosh(x));
    check_all!(f32, "atanh(x)", |x| atanh(x));
}

#[test]
fn exponents() {
    check_all!(f32, "exp(x)", |x| exp(x));
    check_all!(f32, "exp2(x)", |x| exp2(x));
    check_all!(f32, "log(x)", |x| log(x));
    check_all!(f32, "log2(x)", |x| log2(x));
    check_all!(f32, "pow(x, y)", |x, y| pow(x, y));
}

#[test]
fn parts() {
    check_all!(f32, "modf(x).fract", |x| modf(x).fract);
    check_all!(f32, "modf(x).whole", |x| modf(x).whole);
    check_all!(f32, "frexp(x).fract", |x| frexp(x).fract);
    check!("frexp(x).exp", |x: f32| -> i32 { frexp(x).exp });
    check!("frexp(x).exp", |x: Vec3f| -> Vec3i { frexp(x).exp });
    check!("ldexp(x, y)", |x: f32, y: i32| -> f32 { ldexp(x, y) });
    check!("ldexp(x, y)", |x: Vec4f, y: Vec4i| -> Vec4f { ldexp(x, y) });
}

#[test]
fn operators() {
    check_all!(f32, "x + y", |x, y| add(x, y));
    check_all!(f32, "x - y", |x, y| subtract(x, y));
    check_all!(f32, "x * y", |x, y| multiply(x, y));
    check_all!(f32, "x / y", |x, y| divide(x, y));
    check_all!(f32, "x % y", |x, y| remainder(x, y));
    check_all!(f32, "-x", |x| negate(x));
}

#[test]
fn conversions() {
    check!("i32(x)", |x: f32| -> i32 { to_i32(x) });
    check!("u32(x)", |x: f32| -> u32 { to_u32(x) });
    check!("vec3i(x)", |x: Vec3f| -> Vec3i { to_i32(x) });
    check!("vec4u(x)", |x: Vec4f| -> Vec4u { to_u32(x) });
    // Integer-to-float conversion is the same as Rust's cast.
    check!("f32(x)", |x: i32| -> f32 { x as f32 });
    check!("f32(x)", |x: u32| -> f32 { x as f32 });
    check!("vec2f(x)", |x: Vec2u| -> Vec2f { x.as_vec2() });
}
