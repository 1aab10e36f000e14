// A negative index is out of range: reads give zero, writes vanish.
//: in  0:0 u32 11 12 13
//: in  0:1 i32 -1 MIN -3
//: out 0:2 u32 0 0 0
//: out 0:0 u32 11 12 13
//: deviates lavapipe "the byte offset of the index wraps around" 0:2 u32 = 11 =
//: deviates lavapipe "the byte offset of the index wraps around" 0:0 u32 99 =*2
@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read> at: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[at[i]];
    a[at[i]] = 99u;
}
