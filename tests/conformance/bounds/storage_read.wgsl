// A read past the end of a runtime array gives zero, also for an index that would wrap around.
//: in  0:0 u32 11 12 13
//: in  0:1 u32 0 2 3 4 0x40000000 0x40000001 MAX
//: out 0:2 u32 11 13 0 0 0 0 0
//: deviates lavapipe "the byte offset of the index wraps around" 0:2 u32 =*4 11 12 =
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> at: array<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[at[i]];
}
