// An unsigned integer keeps its bits as a signed one.
//: in  0:0 u32 0 1 MAX 0x80000000 0x7fffffff
//: out 0:1 i32 0 1  -1        MIN        MAX
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(5)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = i32(a[i]);
}
