// Builtin values of subgroups of 8, of which the last is not full.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 8 0 0 2 8 0 1 2 8 0 2 2 8 0 3 2 8 0 4 2 8 0 5 2 8 0 6 2 8 0 7 2 8 1 0 2 8 1 1 2 8 1 2 2 8 1 3
//::     2 8 1 4 2
//: deviates lavapipe "rounds the number of subgroups down" 0:0 u32 8 0 0 1 8 0 1 1 8 0 2 1 8 0 3 1 8 0 4 1 8
//::     0 5 1 8 0 6 1 8 0 7 1 8 1 0 1 8 1 1 1 8 1 2 1 8 1 3 1 8 1 4 1
@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;

@compute @workgroup_size(13)
fn main(
    @builtin(local_invocation_index) i: u32,
    @builtin(subgroup_size) size: u32,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(num_subgroups) count: u32,
) {
    out[i] = vec4(size, subgroup, lane, count);
}
