// Coordinates and layers are i32 or u32, each for itself.
//: needs textures
//: texture 0:0 2d-array r32uint 2x2x2
//: in 0:0 u32 1 2 3 4 5 6 7 8
//: in 0:1 i32 1 0 1 _
//: out 0:2 u32 6 6 6 6
@group(0) @binding(0) var t: texture_2d_array<u32>;
@group(0) @binding(1) var<storage, read> at: vec3<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 4>;
@compute @workgroup_size(1) fn main() {
    out[0] = textureLoad(t, at.xy, at.z, 0).x;
    out[1] = textureLoad(t, vec2<u32>(at.xy), u32(at.z), 0).x;
    out[2] = textureLoad(t, at.xy, u32(at.z), 0).x;
    out[3] = textureLoad(t, vec2<u32>(at.xy), at.z, 0).x;
}
