// extractBits and insertBits on vectors share one offset and count.
//: in  0:0 u32 0x12345678 MAX 0 0x80000000
//: in  0:1 u32 28 8
//: out 0:2 u32 1 15 0 8
//: out 0:3 i32 1 -1 0 -8
//: out 0:4 u32 0x12345678 MAX 0xf0000000 0xf0000000
@group(0) @binding(0) var<storage, read> a: vec4<u32>;
@group(0) @binding(1) var<storage, read> field: vec2<u32>;
@group(0) @binding(2) var<storage, read_write> unsigned: vec4<u32>;
@group(0) @binding(3) var<storage, read_write> signed: vec4<i32>;
@group(0) @binding(4) var<storage, read_write> inserted: vec4<u32>;

@compute @workgroup_size(1)
fn main() {
    unsigned = extractBits(a, field.x, field.y);
    signed = extractBits(vec4<i32>(a), field.x, field.y);
    inserted = insertBits(a, vec4(1u, 15u, 15u, 15u), field.x, field.y);
}
