// Unary minus and complement on vectors; -0 keeps its own sign.
//: in  0:0 f32 1.0 0.0 -inf nan
//: in  0:1 i32 MIN 0 5 -1
//: out 0:2 f32 -1.0 -0.0 inf nan
//: out 0:3 i32 MIN 0 -5 1   MAX -1 -6 0
@group(0) @binding(0) var<storage, read> a: vec4<f32>;
@group(0) @binding(1) var<storage, read> b: vec4<i32>;
@group(0) @binding(2) var<storage, read_write> floats: vec4<f32>;
@group(0) @binding(3) var<storage, read_write> integers: array<vec4<i32>, 2>;

@compute @workgroup_size(1)
fn main() {
    floats = -a;
    integers[0] = -b;
    integers[1] = ~b;
}
