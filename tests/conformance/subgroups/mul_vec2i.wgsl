// A product of vectors goes by component.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 i32 40320 -3 40320 -3 40320 -3 40320 -3 40320 -3 40320 -3 40320 -3 40320 -3
@group(0) @binding(0) var<storage, read_write> out: array<vec2<i32>>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupMul(vec2(i32(i) - 8, select(1, -3, i == 5u)));
}
