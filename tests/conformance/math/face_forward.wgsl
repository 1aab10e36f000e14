// faceForward keeps the first vector where dot(second, third) is negative, else negates it.
//: in  0:0 f32 1 -2
//: in  0:1 f32 1 0
//: in  0:2 f32 -1 5   1 5   0 5
//: out 0:3 f32 1 -2   -1 2   -1 2
@group(0) @binding(0) var<storage, read> n: vec2<f32>;
@group(0) @binding(1) var<storage, read> incident: vec2<f32>;
@group(0) @binding(2) var<storage, read> reference: array<vec2<f32>, 3>;
@group(0) @binding(3) var<storage, read_write> out: array<vec2<f32>, 3>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = faceForward(n, incident, reference[i]);
}
