// modf splits into a whole and a fractional part, both with the sign of the argument.
//: in  0:0 f32 1.5 -1.25 3.0 -0.25 -4.0 1e10
//: out 0:1 f32 0.5 -0.25 0.0 -0.25 -0.0 0.0
//: out 0:2 f32 1.0 -1.0 3.0 -0.0 -4.0 1e10
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> fractions: array<f32>;
@group(0) @binding(2) var<storage, read_write> wholes: array<f32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    let parts = modf(a[i]);
    fractions[i] = parts.fract;
    wholes[i] = parts.whole;
}
