// cross follows the right-hand rule and is zero for parallel vectors.
//: in  0:0 f32 1 0 0 0 2 3 4 0 1 2 3 0
//: in  0:1 f32 0 1 0 0 5 6 7 0 2 4 6 0
//: out 0:2 f32 0 0 1 _  -3 6 -3 _  0 0 0 _
@group(0) @binding(0) var<storage, read> a: array<vec3<f32>, 3>;
@group(0) @binding(1) var<storage, read> b: array<vec3<f32>, 3>;
@group(0) @binding(2) var<storage, read_write> out: array<vec3<f32>, 3>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = cross(a[i], b[i]);
}
