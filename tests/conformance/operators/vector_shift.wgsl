// Vectors shift by component, by the amount modulo 32, with the sign for signed ones.
//: in  0:0 u32 1 0x80000000 0xff 5
//: in  0:1 u32 31 1 4 33
//: out 0:2 u32 0x80000000 0 0xff0 10   0 0x40000000 0xf 2
//: out 0:3 i32 0 0xc0000000 15 2
@group(0) @binding(0) var<storage, read> a: vec4<u32>;
@group(0) @binding(1) var<storage, read> b: vec4<u32>;
@group(0) @binding(2) var<storage, read_write> words: array<vec4<u32>, 2>;
@group(0) @binding(3) var<storage, read_write> signed: vec4<i32>;

@compute @workgroup_size(1)
fn main() {
    words[0] = a << b;
    words[1] = a >> b;
    signed = bitcast<vec4<i32>>(a) >> b;
}
