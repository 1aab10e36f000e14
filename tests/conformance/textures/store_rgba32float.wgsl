// rgba32float stores the value's bits.
//: needs textures
//: in 0:0 f32 bits:3f800000 inf bits:80000000 bits:40000000
//: texture 0:1 2d rgba32float 1x1
//: out 0:1 u32 0x3f800000 0x7f800000 0x80000000 0x40000000
@group(0) @binding(0) var<storage, read> values: array<vec4<f32>, 1>;
@group(0) @binding(1) var t: texture_storage_2d<rgba32float, write>;
@compute @workgroup_size(1, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 1u + id.x]);
}
