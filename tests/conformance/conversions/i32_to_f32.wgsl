// A signed integer rounds to the nearest even float.
//: in  0:0 i32   0   1   -1 16777217      16777219    MAX     MIN -16777217
//: out 0:1 f32 0.0 1.0 -1.0   0x1p24 0x1.000004p24 0x1p31 -0x1p31   -0x1p24
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f32(a[i]);
}
