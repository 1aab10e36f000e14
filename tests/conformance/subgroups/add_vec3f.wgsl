// A reduction of vectors goes by component.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 f32 28.0 8.0 -56.0 0.0 28.0 8.0 -56.0 0.0 28.0 8.0 -56.0 0.0 28.0 8.0 -56.0 0.0 28.0 8.0 -56.0 0.0
//::     28.0 8.0 -56.0 0.0 28.0 8.0 -56.0 0.0 28.0 8.0 -56.0 0.0
@group(0) @binding(0) var<storage, read_write> out: array<vec4<f32>>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = f32(i);
    out[i] = vec4(subgroupAdd(vec3(x, 1.0, -2.0 * x)), 0.0);
}
