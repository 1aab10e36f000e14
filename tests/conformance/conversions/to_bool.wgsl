// Zero of either sign becomes false, everything else true, NaN and subnormals included.
//: in  0:0 f32 0.0 -0.0 1.0 nan 0x1p-149 -inf
//: in  0:1 i32 0 1 -1 MIN 256 0
//: out 0:2 u32 0 0 1 1 1 1   0 1 1 1 1 0   0 1 1 1 1 0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = select(0u, 1u, bool(a[i]));
    out[6u + i] = select(0u, 1u, bool(b[i]));
    out[12u + i] = select(0u, 1u, bool(u32(b[i])));
}
