// frexp of f16 gives a fraction in [0.5, 1), of subnormals too.
//: needs f16 int16
//: in  0:0 f16 1.0 -6.0 0.0 0x1p-24
//: out 0:1 f16 0.5 -0.75 0.0 0.5
//: out 0:2 i32 1 3 0 -23
//: deviates lavapipe "subnormals are not normalised" skip
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> fractions: array<f16>;
@group(0) @binding(2) var<storage, read_write> exponents: array<i32>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    let parts = frexp(a[i]);
    fractions[i] = parts.fract;
    exponents[i] = i32(parts.exp);
}
