// A texture_1d is addressed by one number.
//: needs textures
//: texture 0:0 1d r32uint 4
//: in 0:0 u32 5 6 7 8
//: out 0:1 u32 8 7 6 5
@group(0) @binding(0) var t: texture_1d<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 4>;
@compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[id.x] = textureLoad(t, 3u - id.x, 0).x;
}
