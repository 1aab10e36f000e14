// subgroupMax on u32 is unsigned.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 u32 9 8 4294967295 7 6 2147483648 5 11 0 0 0 0 0 0 0 0
//: out 0:1 u32 4294967295*8 0*8
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupMax(a[i]);
}
