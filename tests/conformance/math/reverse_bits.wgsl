// reverseBits mirrors all 32 bits.
//: in  0:0 u32 0 1 0x80000000 MAX 0x10000 0x12345678
//: out 0:1 u32 0 0x80000000 1 MAX 32768 0x1e6a2c48
//: out 0:2 i32 0 MIN 1 -1 32768 510274632
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> unsigned: array<u32>;
@group(0) @binding(2) var<storage, read_write> signed: array<i32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    unsigned[i] = reverseBits(a[i]);
    signed[i] = reverseBits(bitcast<i32>(a[i]));
}
