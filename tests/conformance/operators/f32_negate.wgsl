// Negation flips the sign of everything, zero included.
//: in  0:0 f32  1.0  0.0 -0.0  inf nan -2.5
//: out 0:1 f32 -1.0 -0.0  0.0 -inf nan  2.5
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = -a[i];
}
