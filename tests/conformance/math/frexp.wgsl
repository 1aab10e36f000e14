// frexp gives a fraction in [0.5, 1) and an exponent; zero gives zeros.
//: in  0:0 f32 1.0 0.5 -3.0 100.0 0.0 -0.0 0x1p-126 0x1.fffffep127
//: out 0:1 f32 0.5 0.5 -0.75 0.78125 0.0 -0.0 0.5 0.99999994
//: out 0:2 i32 1 0 2 7 0 0 -125 128
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> fractions: array<f32>;
@group(0) @binding(2) var<storage, read_write> exponents: array<i32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    let parts = frexp(a[i]);
    fractions[i] = parts.fract;
    exponents[i] = parts.exp;
}
