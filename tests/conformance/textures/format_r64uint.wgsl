// r64uint holds one number of 64 bits; the other channels read as zero, and alpha as one.
//: needs textures texture_atomics texture_int64_atomics int64
//: texture 0:0 2d r64uint 2x1
//: texture 0:1 2d r64uint 2x1
//: in 0:0 u32 5 1 0xffffffff 0x80000000
//: out 0:1 u32 6 2 0 0x80000001
//: out 0:2 u32 5 1 0 0 0 0 1 0
@group(0) @binding(0) var source: texture_storage_2d<r64uint, read>;
@group(0) @binding(1) var sink: texture_storage_2d<r64uint, write>;
@group(0) @binding(2) var<storage, read_write> out: vec4<u64>;
@compute @workgroup_size(1) fn main() {
    out = textureLoad(source, vec2(0, 0));
    textureStore(sink, vec2(0, 0), textureLoad(source, vec2(0, 0)) + vec4(4294967297lu));
    textureStore(sink, vec2(1, 0), textureLoad(source, vec2(1, 0)) + vec4(1lu));
    textureStore(sink, vec2(2, 0), vec4(7lu));
}
