// abs and sign on vectors, and abs of an unsigned integer.
//: in  0:0 i32 MIN -3 0 7
//: in  0:1 f32 -1.5 0.0 9.0 -inf
//: out 0:2 i32 MIN 3 0 7   -1 -1 0 1
//: out 0:3 f32 1.5 0.0 9.0 inf   -1.0 0.0 1.0 -1.0
//: out 0:4 u32 0x80000000 0xfffffffd 0 7
@group(0) @binding(0) var<storage, read> a: vec4<i32>;
@group(0) @binding(1) var<storage, read> b: vec4<f32>;
@group(0) @binding(2) var<storage, read_write> signed: array<vec4<i32>, 2>;
@group(0) @binding(3) var<storage, read_write> floats: array<vec4<f32>, 2>;
@group(0) @binding(4) var<storage, read_write> unsigned: vec4<u32>;

@compute @workgroup_size(1)
fn main() {
    signed[0] = abs(a);
    signed[1] = sign(a);
    floats[0] = abs(b);
    floats[1] = sign(b);
    unsigned = abs(bitcast<vec4<u32>>(a));
}
