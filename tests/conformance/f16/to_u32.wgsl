// f16 becomes u32 toward zero, negative numbers zero.
//: needs f16
//: in  0:0 f16 0.0 1.900390625 -1.900390625 65504.0 -65504.0 inf -inf 5.960464477539063e-08
//: out 0:1 u32 0 1 0 65504 0 65504 0 0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u32(a[i]);
}
