// A bitcast keeps the bits between i32, u32 and f32, NaN payloads and subnormals too.
//: in  0:0 u32 0x3f800000 0x80000000 0x7fc00123 1 0xff800000
//: out 0:1 f32 1.0 -0.0 bits:7fc00123 0x1p-149 -inf
//: out 0:2 i32 1065353216 MIN 2143289635 1 -8388608
//: out 0:3 u32 0x3f800000 0x80000000 0x7fc00123 1 0xff800000
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> floats: array<f32>;
@group(0) @binding(2) var<storage, read_write> signed: array<i32>;
@group(0) @binding(3) var<storage, read_write> back: array<u32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    floats[i] = bitcast<f32>(a[i]);
    signed[i] = bitcast<i32>(bitcast<f32>(a[i]));
    back[i] = bitcast<u32>(bitcast<i32>(a[i]));
}
