// f16 comparisons: NaN is unequal to everything, zeros are equal.
//: needs f16
//: in  0:0 f16 0.0 1.0 2.0 nan nan inf -inf 5.960464477539063e-08
//: in  0:1 f16 -0.0 2.0 1.0 nan 1.0 65504.0 -65504.0 0.0
//: out 0:2 u32 41 14 50 2 2 50 14 50
//: deviates lavapipe "NaN is not unequal" 0:2 u32 = = = 0 0 = = =
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u32(a[i] == b[i]) | u32(a[i] != b[i]) << 1u | u32(a[i] < b[i]) << 2u
        | u32(a[i] <= b[i]) << 3u | u32(a[i] > b[i]) << 4u | u32(a[i] >= b[i]) << 5u;
}
