// Nothing here is a product of floats that is only summed.
enable f16;
fn integers(a: i32, b: i32) -> i32 { return a * b + a; }
fn halves(a: f16, b: f16) -> f16 { return a * b + a; }
fn half_vectors(a: vec2<f16>, b: f16) -> vec2<f16> { return a * b + a; }
fn matrices(m: mat2x2<f32>, v: vec2<f32>) -> vec2<f32> { return m * v + v; }
fn matrix_sums(m: mat2x2<f32>, n: mat2x2<f32>) -> mat2x2<f32> { return m * 2.0 + n; }
fn whole_dots(v: vec2<i32>) -> i32 { return dot(v, v) + 1; }
fn half_dots(v: vec2<f16>) -> f16 { return dot(v, v) + 1.0h; }
fn lengths(v: vec2<f32>) -> f32 { return length(v) + 1.0; }
fn quotients(a: f32, b: f32) -> f32 { return a / b + a; }
fn twice(a: f32, b: f32) -> f32 { let p = a * b; return p + p; }
fn needed(a: f32, b: f32) -> vec2<f32> { let p = a * b; return vec2(p + a, p); }
fn returned(a: f32, b: f32) -> f32 {
    let p = a * b;
    if p > 1.0 { return p; }
    return p + 1.0;
}
fn in_memory(a: f32, b: f32) -> f32 { var p = a * b; return p + 1.0; }
fn negated(a: f32, b: f32) -> f32 { return -(a * b) + 1.0; }
fn through_bits(a: f32, b: f32, zero: u32) -> f32 {
    return bitcast<f32>(bitcast<u32>(a * b) ^ zero) + 1.0;
}
const constant = 3.0 * 5.0 + 1.0;
fn constants() -> f32 { var x = constant * 2.0 + 1.0; return x; }
