// A write past the end of a runtime array vanishes.
//: in  0:0 u32 2 3 0x40000000 MAX 1000000
//: out 0:1 u32 0 0 1
//: deviates lavapipe "the byte offset of the index wraps around" 0:1 u32 3 =*2
@group(0) @binding(0) var<storage, read> at: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[at[i]] = i + 1u;
}
