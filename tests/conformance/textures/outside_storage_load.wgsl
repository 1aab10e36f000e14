// A load outside a storage texture gives zeros.
//: needs textures
//: texture 0:0 2d r32uint 2x1
//: in 0:0 u32 7 8
//: out 0:1 u32 8 0 0
@group(0) @binding(0) var t: texture_storage_2d<r32uint, read>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 3>;
@compute @workgroup_size(3) fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = textureLoad(t, vec2(1u + i, 0u)).x;
}
