// subgroupAnd on u32.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 u32 255 247 127 255 255 255 255 239 4294967295 4294967295 4294967295 4294967295 4294967295
//::     4294967295 4294967295 4294967295
//: out 0:1 u32 103*8 4294967295*8
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupAnd(a[i]);
}
