// firstLeadingBit of a signed integer looks for the highest bit unlike the sign; 0 and -1 have none.
//: in  0:0 u32 0 1 0x80000000 MAX 0xfffffffe 0x7fffffff 0xffff0000 0x12345678
//: out 0:1 u32 MAX 0 31 31 31 30 31 28
//: out 0:2 i32 -1 0 30 -1 0 30 15 28
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> unsigned: array<u32>;
@group(0) @binding(2) var<storage, read_write> signed: array<i32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    unsigned[i] = firstLeadingBit(a[i]);
    signed[i] = firstLeadingBit(bitcast<i32>(a[i]));
}
