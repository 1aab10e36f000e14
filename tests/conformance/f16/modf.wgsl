// modf of f16 splits a value into fraction and whole part, both with its sign.
//: needs f16
//: in  0:0 f16 1.25 -2.75 1023.5 0.0
//: out 0:1 f16 0.25 -0.75 1.0 -2.0 0.5 0.0 1023.0 0.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<vec2<f16>>;
@group(0) @binding(1) var<storage, read_write> out: array<vec2<f16>>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    let parts = modf(a[i]);
    out[2u * i] = parts.fract;
    out[2u * i + 1u] = parts.whole;
}
