// A store by coordinates of 16 or 64 bits goes where it says, and nowhere if that is outside.
//: needs textures int64 int16
//: texture 0:0 2d r32uint 4x4
//: in 0:0 u32 0*16
//: in 0:1 u32 1 2
//: out 0:0 u32 0*6 7 0*2 5 0*6
//: deviates lavapipe "crashes" skip
enable wgpu_int16;

@group(0) @binding(0) var t: texture_storage_2d<r32uint, write>;
@group(0) @binding(1) var<storage, read> at: vec2<u32>;
@compute @workgroup_size(1) fn main() {
    textureStore(t, vec2<i64>(vec2<u64>(at)), vec4(5u));
    textureStore(t, vec2<i16>(at.yx), vec4(7u));
    textureStore(t, vec2<i64>(vec2<u64>(at)) << vec2(33u), vec4(9u));
}
