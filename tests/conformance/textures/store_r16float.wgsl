// r16float stores half a word.
//: needs textures texture_formats
//: in 0:0 f32 bits:3f800000 bits:41100000 bits:41100000 bits:41100000  bits:c0000000 bits:41100000 bits:41100000 bits:41100000
//: texture 0:1 2d r16float 2x1
//: out 0:1 u32 0xc0003c00
@group(0) @binding(0) var<storage, read> values: array<vec4<f32>, 2>;
@group(0) @binding(1) var t: texture_storage_2d<r16float, write>;
@compute @workgroup_size(2, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 2u + id.x]);
}
