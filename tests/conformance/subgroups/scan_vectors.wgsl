// Scans of vectors go by component.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 0 0 2 1 0 2 4 2 1 4 8 6 3 6 16 24 6 8 32 120 10 10 64 720 15 12 128 5040 21 14 256 40320
@group(0) @binding(0) var<storage, read_write> out: array<vec2<u32>>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[2u * i] = subgroupExclusiveAdd(vec2(i, 2u));
    out[2u * i + 1u] = subgroupInclusiveMul(vec2(2u, i + 1u));
}
