// The sign of a float is -1, 0 or 1.
//: in  0:0 f32 2.5 -2.5 0.0 inf -inf 0x1.4484cp-100
//: out 0:1 f32 1.0 -1.0 0.0 1.0 -1.0            1.0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = sign(a[i]);
}
