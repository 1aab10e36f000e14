// depth24plus holds multiples of 2^-n exactly enough to read a clear of one and of zero back.
//: needs textures
//: texture 0:0 2d depth24plus 2x2 clear=1
//: texture 0:1 2d depth24plus-stencil8 2x2 clear=0
//: out 0:2 f32 1 0
@group(0) @binding(0) var t: texture_depth_2d;
@group(0) @binding(1) var s: texture_depth_2d;
@group(0) @binding(2) var<storage, read_write> out: array<f32, 2>;
@compute @workgroup_size(1) fn main() {
    out[0] = textureLoad(t, vec2(1, 1), 0);
    out[1] = textureLoad(s, vec2(1, 1), 0);
}
