// A storage texture with access read is loaded without a level.
//: needs textures
//: texture 0:0 2d r32uint 2x2
//: in 0:0 u32 1 2 3 4
//: out 0:1 u32 4 3 2 1
@group(0) @binding(0) var t: texture_storage_2d<r32uint, read>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 4>;
@compute @workgroup_size(2, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[3u - id.y * 2u - id.x] = textureLoad(t, id.xy).x;
}
