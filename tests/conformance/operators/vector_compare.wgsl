// Comparing vectors gives a vector of bool; with NaN only != holds.
//: in  0:0 f32 1.0 2.0 nan -0.0
//: in  0:1 f32 2.0 2.0 1.0  0.0
//: out 0:2 u32 0 1 0 1   1 0 1 0   1 0 0 0   1 1 0 1   0 0 0 0   0 1 0 1
//: out 0:3 u32 1 0 1 0   1 1 1 0
//: deviates lavapipe "naga writes != as an ordered comparison" 0:2 u32 =*6 0 =*17
//: deviates lavapipe "naga writes != as an ordered comparison" 0:3 u32 =*6 0 =
@group(0) @binding(0) var<storage, read> a: vec4<f32>;
@group(0) @binding(1) var<storage, read> b: vec4<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<u32>, 6>;
@group(0) @binding(3) var<storage, read_write> logic: array<vec4<u32>, 2>;

@compute @workgroup_size(1)
fn main() {
    out[0] = vec4<u32>(a == b);
    out[1] = vec4<u32>(a != b);
    out[2] = vec4<u32>(a < b);
    out[3] = vec4<u32>(a <= b);
    out[4] = vec4<u32>(a > b);
    out[5] = vec4<u32>(a >= b);
    logic[0] = vec4<u32>(!(a == b));
    logic[1] = vec4<u32>((a < b) | (a != b) | vec4(false, true, false, false) & vec4(true));
}
