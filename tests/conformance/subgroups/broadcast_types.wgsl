// subgroupBroadcast moves scalars and vectors of every type.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 f32 5.0 -5.0 2.5 1.0 5.0 -5.0 2.5 1.0 5.0 -5.0 2.5 1.0 5.0 -5.0 2.5 1.0 5.0 -5.0 2.5 1.0 5.0 -5.0
//::     2.5 1.0 5.0 -5.0 2.5 1.0 5.0 -5.0 2.5 1.0
//: out 0:1 i32 -6 2 -6 2 -6 2 -6 2 -6 2 -6 2 -6 2 -6 2
@group(0) @binding(0) var<storage, read_write> out: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> ints: array<vec2<i32>>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = f32(i);
    out[i] = subgroupBroadcast(vec4(x, -x, 0.5 * x, 1.0), 5u);
    ints[i] = vec2(subgroupBroadcast(-i32(i), 6u), subgroupBroadcast(vec3(1, 2, i32(i)), 2u).z);
}
