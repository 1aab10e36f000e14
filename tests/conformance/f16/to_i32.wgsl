// f16 becomes i32 toward zero; an infinity becomes the largest value that both types hold.
//: needs f16
//: in  0:0 f16 0.0 1.900390625 -1.900390625 65504.0 -65504.0 inf -inf 5.960464477539063e-08
//: out 0:1 i32 0 1 -1 65504 -65504 65504 -65504 0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i32(a[i]);
}
