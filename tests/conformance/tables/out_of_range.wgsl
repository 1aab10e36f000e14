// What lies outside a constant array reads as zero, as with any array.
//: in  0:0 u32 0 11 12 4294967295 100000 5 1073741824 3
//: out 0:1 i32 -1 -12 0 0 0 -6 0 -4
//: out 0:2 i32 0
//: deviates lavapipe "naga clamps the index into the array" 0:1 i32 -1 -12 -12*3 -6 -12 -4
//: deviates lavapipe "naga clamps the index into the array" 0:2 i32 -12
@group(0) @binding(0) var<storage, read> at: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;
@group(0) @binding(2) var<storage, read_write> same: i32;

const TABLE = array(-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12);

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = TABLE[at[i]];
    same = TABLE[at[2]];
}
