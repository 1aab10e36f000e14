// countLeadingZeros(0) is 32, for i32 and u32.
//: in  0:0 u32 0 1 0x80000000 MAX 0x10000 0x12345678
//: out 0:1 u32 32 31 0 0 15 3
//: out 0:2 i32 32 31 0 0 15 3
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> unsigned: array<u32>;
@group(0) @binding(2) var<storage, read_write> signed: array<i32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    unsigned[i] = countLeadingZeros(a[i]);
    signed[i] = countLeadingZeros(bitcast<i32>(a[i]));
}
