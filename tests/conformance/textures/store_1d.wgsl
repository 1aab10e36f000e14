// A texture_storage_1d is addressed by one number.
//: needs textures
//: texture 0:0 1d r32uint 4
//: out 0:0 u32 30 20 10 0
@group(0) @binding(0) var t: texture_storage_1d<r32uint, write>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    textureStore(t, 3u - i, vec4(i * 10u));
}
