// A store outside the texture does nothing.
//: needs textures
//: texture 0:0 2d r32uint 2x2
//: in 0:0 u32 1 2 3 4
//: out 0:0 u32 1 2 3 9
@group(0) @binding(0) var t: texture_storage_2d<r32uint, write>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    var at = array(vec2(1, 1), vec2(2, 0), vec2(0, 2), vec2(-1, 0));
    textureStore(t, at[i], vec4(9u));
}
