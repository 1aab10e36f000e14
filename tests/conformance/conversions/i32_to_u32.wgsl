// A signed integer keeps its bits as an unsigned one.
//: in  0:0 i32 0 1  -1        MIN        MAX
//: out 0:1 u32 0 1 MAX 0x80000000 0x7fffffff
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u32(a[i]);
}
