// trunc of f16 goes toward zero.
//: needs f16
//: in  0:0 f16 0.5 -1.5 2.75 -2.75 65504.0 1.0
//: out 0:1 f16 0.0 -1.0 2.0 -2.0 65504.0 1.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = trunc(a[i]);
}
