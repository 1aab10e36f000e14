// A texture_3d is addressed by column, row and slice.
//: needs textures
//: texture 0:0 3d r32uint 2x3x2
//: in 0:0 u32 0 1 10 11 20 21 100 101 110 111 120 121
//: out 0:1 u32 0 1 10 11 20 21 100 101 110 111 120 121
@group(0) @binding(0) var t: texture_3d<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 12>;
@compute @workgroup_size(2, 3, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.z * 6u + id.y * 2u + id.x] = textureLoad(t, id, 0).x;
}
