// subgroupMul on u32 wraps.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 u32 1 2 3 4 5 6 7 8 65536 65537 1 1 1 1 1 1
//: out 0:1 u32 40320*8 65536*8
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupMul(a[i]);
}
