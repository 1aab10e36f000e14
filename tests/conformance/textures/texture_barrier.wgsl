// After textureBarrier the invocations of a workgroup see each other's stores.
//: needs textures
//: texture 0:0 2d r32float 4x1
//: out 0:0 f32 1 2 3 4
//: out 0:1 f32 2 3 4 1
@group(0) @binding(0) var t: texture_storage_2d<r32float, read_write>;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 4>;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i: u32) {
    textureStore(t, vec2(i, 0u), vec4(f32(i + 1u)));
    textureBarrier();
    out[i] = textureLoad(t, vec2((i + 1u) % 4u, 0u)).x;
}
