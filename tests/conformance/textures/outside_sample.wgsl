// A load of a sample that is not there gives zeros.
//: needs textures
//: texture 0:0 2d rgba8uint 1x1 samples=4 clear=9,9,9,9
//: in 0:1 i32 3 4 -1
//: out 0:2 u32 9 0 0
@group(0) @binding(0) var t: texture_multisampled_2d<u32>;
@group(0) @binding(1) var<storage, read> samples: array<i32, 3>;
@group(0) @binding(2) var<storage, read_write> out: array<u32, 3>;
@compute @workgroup_size(3) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(t, vec2(0), samples[i]).x;
}
