// A float goes to the nearest n / 255; below zero to 0 and above one to 255.
//: needs textures
//: in 0:0 f32 bits:00000000 bits:3f800000 bits:3f007c85 bits:3e4ccccd  bits:bf800000 bits:40000000 bits:3a83126f bits:3b449ba6
//: texture 0:1 2d rgba8unorm 2x1
//: out 0:1 u32 0x3380ff00 0x100ff00
@group(0) @binding(0) var<storage, read> values: array<vec4<f32>, 2>;
@group(0) @binding(1) var t: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(2, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 2u + id.x]);
}
