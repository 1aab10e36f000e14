// The colors of rgba8unorm-srgb are decoded to linear light; alpha is not.
//: needs textures
//: texture 0:0 2d rgba8unorm-srgb 2x1
//: in 0:0 u32 0x800b0a00 0xff8001ff
//: out 0:1 f32 bits:00000000 bits:3b46eb61 bits:3b5b518e bits:3f008081  bits:3f800000 bits:399f22b4 bits:3e5d0a89 bits:3f800000
//: deviates lavapipe "takes a polynomial for the curve" 0:1 f32 = bits:3b4bf8ac bits:3b605e56 =  = bits:39a32d56 bits:3e5dd65c =
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 2>;
@compute @workgroup_size(2, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.y * 2u + id.x] = textureLoad(t, id.xy, 0);
}
