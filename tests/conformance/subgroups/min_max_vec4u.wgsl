// Least and greatest of vectors go by component.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 3 2 0xfffffff8 4 10 9 0xffffffff 4 3 2 0xfffffff8 4 10 9 0xffffffff 4 3 2 0xfffffff8 4 10 9
//::     0xffffffff 4 3 2 0xfffffff8 4 10 9 0xffffffff 4 3 2 0xfffffff8 4 10 9 0xffffffff 4 3 2 0xfffffff8 4
//::     10 9 0xffffffff 4 3 2 0xfffffff8 4 10 9 0xffffffff 4 3 2 0xfffffff8 4 10 9 0xffffffff 4
@group(0) @binding(0) var<storage, read_write> out: array<vec4<u32>>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    let v = vec4(i + 3u, 9u - i, 0xffffffffu - i, 4u);
    out[2u * i] = subgroupMin(v);
    out[2u * i + 1u] = subgroupMax(v);
}
