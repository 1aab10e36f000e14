// Builtin values of subgroups of 4, of which the last is not full.
//: needs subgroups
//: subgroup-size 4
//: out 0:0 u32 4 0 0 2 4 0 1 2 4 0 2 2 4 0 3 2 4 1 0 2 4 1 1 2 4 1 2 2
@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;

@compute @workgroup_size(7)
fn main(
    @builtin(local_invocation_index) i: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(num_subgroups) count: u32,
) {
    out[i] = vec4(size, subgroup, lane, count);
}
