// round goes to the nearest integer, ties to even, and keeps the sign of zero.
//: in  0:0 f32 0.5 1.5 2.5 -0.5 -1.5 3.49 -2.5 8388609.0 inf nan 0.49999997
//: out 0:1 f32 0.0 2.0 2.0 -0.0 -2.0  3.0 -2.0 8388609.0 inf nan        0.0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(11)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = round(a[i]);
}
