// pow inherits its error from exp2(y * log2(x)).
//: in  0:0 f32 2.0  2.0 10.0 0.5  1.5 3.0
//: in  0:1 f32 3.0 -2.0  2.5 0.5 20.0 0.0
//: out 0:2 f32 within POW_INHERITED of 0:0 0:1 8.0 0.25 316.227766017 0.707106781187 3325.25673008
//:: 1.0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = pow(a[i], b[i]);
}
