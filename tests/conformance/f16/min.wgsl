// min of f16.
//: needs f16
//: in  0:0 f16 1.0 2.0 -inf -1.0 65504.0 5.960464477539063e-08
//: in  0:1 f16 2.0 1.0 3.0 -2.0 inf 0.0
//: out 0:2 f16 1.0 1.0 -inf -2.0 65504.0 0.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = min(a[i], b[i]);
}
