// insertBits replaces a field; offset and count are cut off at 32, a count of 0 changes nothing.
//: in  0:0 u32 4 0 31 0 32 28 MAX
//: in  0:1 u32 8 32 1 0 4 100 MAX
//: in  0:2 u32 0x12345678 0xabcdefab
//: out 0:3 u32 0x12345ab8 0xabcdefab 0x92345678 0x12345678 0x12345678 0xb2345678 0x12345678
//: out 0:4 i32 -1412569205 305419896 734916523 -1412567125 -1412567125 -1949438037 -1412567125
@group(0) @binding(0) var<storage, read> offset: array<u32>;
@group(0) @binding(1) var<storage, read> count: array<u32>;
@group(0) @binding(2) var<storage, read> x: array<u32, 2>;
@group(0) @binding(3) var<storage, read_write> unsigned: array<u32>;
@group(0) @binding(4) var<storage, read_write> signed: array<i32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    unsigned[i] = insertBits(x[0], x[1], offset[i], count[i]);
    signed[i] = insertBits(bitcast<i32>(x[1]), bitcast<i32>(x[0]), offset[i], count[i]);
}
