// subgroupAll and subgroupAny ask every lane.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 u32 3 4 5 6 7 8 3 4 9 9 9 2 9 9 9 9
//: out 0:1 u32 1*8 10*8
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = u32(subgroupAll(a[i] > 2u)) + 10u * u32(subgroupAny(a[i] > 8u))
        + 100u * u32(subgroupAny(a[i] > 100u));
}
