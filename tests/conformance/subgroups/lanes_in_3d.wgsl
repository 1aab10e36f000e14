// Invocations become lanes in the order of local_invocation_index, x first, then y, then z.
//: needs subgroups
//: subgroup-size 4
//: out 0:0 u32 0 11 1 11 2 11 3 11 0 101 1 101 2 101 3 101 0 121 1 121 2 121 3 121
@group(0) @binding(0) var<storage, read_write> out: array<vec2<u32>>;

@compute @workgroup_size(2, 3, 2)
fn main(@builtin(local_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) i: u32) {
    let name = id.x + id.y * 10u + id.z * 100u;
    out[i] = vec2(subgroupExclusiveAdd(1u), subgroupShuffle(name, 3u));
}
