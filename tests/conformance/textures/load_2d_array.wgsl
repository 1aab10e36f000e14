// A texture_2d_array takes the layer as an argument of its own.
//: needs textures
//: texture 0:0 2d-array r32sint 2x1x3
//: in 0:0 i32 1 -1 2 -2 3 -3
//: out 0:1 i32 1 -1 2 -2 3 -3
@group(0) @binding(0) var t: texture_2d_array<i32>;
@group(0) @binding(1) var<storage, read_write> out: array<i32, 6>;
@compute @workgroup_size(2, 3) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.y * 2u + id.x] = textureLoad(t, vec2(id.x, 0u), id.y, 0).x;
}
