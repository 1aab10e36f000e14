// frexp of a vector gives vectors of fractions and exponents.
//: in  0:0 f32 8.0 -0.75 0.0 0x1.8p100
//: out 0:1 f32 0.5 -0.75 0.0 0.75
//: out 0:2 i32 4 0 0 101
@group(0) @binding(0) var<storage, read> a: vec4<f32>;
@group(0) @binding(1) var<storage, read_write> fractions: vec4<f32>;
@group(0) @binding(2) var<storage, read_write> exponents: vec4<i32>;

@compute @workgroup_size(1)
fn main() {
    let parts = frexp(a);
    fractions = parts.fract;
    exponents = parts.exp;
}
