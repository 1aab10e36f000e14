// Between two 16-bit floats the nearer is stored, and the even one halfway.
//: needs textures
//: in 0:0 f32 bits:3f801000 bits:3f803000 bits:3f801080 bits:3f800800
//: texture 0:1 2d rgba16float 1x1
//: out 0:1 u32 0x3c023c00 0x3c003c01
//: deviates lavapipe "rounds toward zero" 0:1 u32 0x3c013c00 0x3c003c00
@group(0) @binding(0) var<storage, read> values: array<vec4<f32>, 1>;
@group(0) @binding(1) var t: texture_storage_2d<rgba16float, write>;
@compute @workgroup_size(1, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 1u + id.x]);
}
