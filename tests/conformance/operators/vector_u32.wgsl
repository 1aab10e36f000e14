// Unsigned vectors divide, shift and mask component by component.
//: in  0:0 u32 7 MAX 5 0x80000000
//: in  0:1 u32 2 0 0 33
//: out 0:2 u32 3 MAX 5 65075262
//::            1 0 0 2
//::            28 MAX 5 0
//::            1 MAX 5 0x40000000
//::            2 0 0 0
//::            7 MAX 5 0x80000021
@group(0) @binding(0) var<storage, read> a: vec4<u32>;
@group(0) @binding(1) var<storage, read> b: vec4<u32>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<u32>, 6>;

@compute @workgroup_size(1)
fn main() {
    out[0] = a / b;
    out[1] = a % b;
    out[2] = a << b;
    out[3] = a >> b;
    out[4] = a & b;
    out[5] = a | b;
}
