// A float remainder is x - y * trunc(x / y), so it has the sign of the dividend.
//: in  0:0 f32 7.5 -7.5  7.5 -7.5 1.0 5.25 0x1.dcd65p29 0.0
//: in  0:1 f32 2.0  2.0 -2.0 -2.0 4.0  0.5          3.0 5.0
//: out 0:2 f32 1.5 -1.5  1.5 -1.5 1.0 0.25          0.0 0.0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] % b[i];
}
