// quadBroadcast takes the value of one of the four lanes of a quad.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 0 0 0 0 4 4 4 4 1 1 1 1 5 5 5 5 2 2 2 2 6 6 6 6 3 3 3 3 7 7 7 7
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = quadBroadcast(i, 0u);
    out[8u + i] = quadBroadcast(i, 1u);
    out[16u + i] = quadBroadcast(i, 2u);
    out[24u + i] = quadBroadcast(i, 3u);
}
