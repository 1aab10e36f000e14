// NaN is stored as zero in unorm, infinity as one.
//: needs textures
//: in 0:0 f32 nan inf -inf bits:80000000
//: texture 0:1 2d rgba8unorm 1x1
//: out 0:1 u32 0xff00
//: deviates lavapipe "stores NaN as one" 0:1 u32 0x0000ffff
@group(0) @binding(0) var<storage, read> values: array<vec4<f32>, 1>;
@group(0) @binding(1) var t: texture_storage_2d<rgba8unorm, write>;
@compute @workgroup_size(1, 1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    textureStore(t, id.xy, values[id.y * 1u + id.x]);
}
