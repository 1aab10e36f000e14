// Every f16 is an f32, subnormals included.
//: needs f16
//: in  0:0 f16 0.0 -0.0 1.0 0.0999755859375 65504.0 -65504.0 5.960464477539063e-08
//:: -1.7881393432617188e-07 6.103515625e-05 inf -inf nan
//: out 0:1 f32 0.0 -0.0 1.0 0.0999755859375 65504.0 -65504.0 5.960464477539063e-08
//:: -1.7881393432617188e-07 6.103515625e-05 inf -inf nan
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(12)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f32(a[i]);
}
