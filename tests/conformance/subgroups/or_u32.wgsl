// subgroupOr on u32.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 u32 1 16 256 4096 65536 1048576 16777216 268435456 0 0 0 0 0 0 0 0
//: out 0:1 u32 286331153*8 0*8
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupOr(a[i]);
}
