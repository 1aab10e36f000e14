// Channels that a format lacks read as zero, and alpha as one.
//: needs textures
//: texture 0:0 2d r32float 1x1
//: texture 0:1 2d rg8uint 2x1
//: texture 0:2 2d r16sint 2x1
//: in 0:0 f32 7
//: in 0:1 u32 0x00000605
//: in 0:2 u32 0x0000ffff
//: out 0:3 f32 7 0 0 1 u32 5 6 0 1 i32 -1 0 0 1
struct Out { a: vec4<f32>, b: vec4<u32>, c: vec4<i32> }
@group(0) @binding(0) var a: texture_2d<f32>;
@group(0) @binding(1) var b: texture_2d<u32>;
@group(0) @binding(2) var c: texture_2d<i32>;
@group(0) @binding(3) var<storage, read_write> out: Out;
@compute @workgroup_size(1) fn main() {
    out.a = textureLoad(a, vec2(0), 0);
    out.b = textureLoad(b, vec2(0), 0);
    out.c = textureLoad(c, vec2(0), 0);
}
