// bitcast between f16, i16 and u16 keeps the bits.
//: needs f16 int16
//: in  0:0 u16 0x3c00 0xbc00 0x7c00 0x0001
//: out 0:1 f16 1 -1 inf 0x1p-24
//: out 0:2 i16 0x3c00 0xbc00 0x7c00 1
enable f16;
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read_write> floats: array<f16>;
@group(0) @binding(2) var<storage, read_write> signed: array<i16>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    floats[i] = bitcast<f16>(a[i]);
    signed[i] = bitcast<i16>(floats[i]);
}
