// Invocations that store texels of one word do not disturb each other.
//: needs textures texture_formats
//: in 0:0 f32 bits:00000000 bits:00000000 bits:00000000 bits:00000000  bits:3e4ccccd bits:00000000 bits:00000000 bits:00000000  bits:3ecccccd bits:00000000 bits:00000000 bits:00000000  bits:3f19999a bits:00000000 bits:00000000 bits:00000000  bits:3f4ccccd bits:00000000 bits:00000000 bits:00000000  bits:3f800000 bits:00000000 bits:00000000 bits:00000000  bits:3d888889 bits:00000000 bits:00000000 bits:00000000  bits:3e088889 bits:00000000 bits:00000000 bits:00000000
//: texture 0:1 2d r8unorm 4x2
//: out 0:1 u32 0x99663300 0x2211ffcc
@group(0) @binding(0) var<storage, read> values: array<vec4<f32>, 8>;
@group(0) @binding(1) var t: texture_storage_2d<r8unorm, write>;
@compute @workgroup_size(4, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 4u + id.x]);
}
