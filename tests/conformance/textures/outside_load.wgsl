// A load outside the texture gives zeros, as our choice among what WGSL allows.
//: needs textures
//: texture 0:0 2d rgba8unorm 2x2
//: in 0:0 u32 0xffffffff*4
//: out 0:1 f32 1*4  0*4  0*4  0*4
@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    let at = array(vec2(1u, 1u), vec2(2u, 0u), vec2(0u, 2u), vec2(4294967295u, 4294967295u));
    var places = at;
    out[i] = textureLoad(t, places[i], 0);
}
