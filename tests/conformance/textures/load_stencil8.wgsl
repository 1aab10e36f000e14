// stencil8 is a texture of u32.
//: needs textures
//: texture 0:0 2d stencil8 4x1
//: in 0:0 u32 0xff800100
//: out 0:1 u32 0 1 128 255
@group(0) @binding(0) var t: texture_2d<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(t, vec2(i, 0u), 0).x;
}
