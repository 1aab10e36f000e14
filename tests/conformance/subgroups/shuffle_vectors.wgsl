// Shuffles move whole vectors.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 f32 7.0 3.5 -1.0 0.0 6.0 3.0 -1.0 0.0 5.0 2.5 -1.0 0.0 4.0 2.0 -1.0 0.0 3.0 1.5 -1.0 0.0 2.0 1.0
//::     -1.0 0.0 1.0 0.5 -1.0 0.0 0.0 0.0 -1.0 0.0
@group(0) @binding(0) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    let v = vec3(f32(i), f32(i) * 0.5, -1.0);
    out[i] = vec4(subgroupShuffle(v, 7u - i), 0.0);
}
