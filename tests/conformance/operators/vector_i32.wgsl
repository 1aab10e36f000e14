// Operators on integer vectors work component by component, each with its own edge cases.
//: in  0:0 i32  7 MIN  5 -7
//: in  0:1 i32 -2  -1  0  4
//: out 0:2 i32 5 MAX 5 -3
//::            9 -2147483647 5 -11
//::            -14 MIN 0 -28
//::            -3 MIN 5 -1
//::            1 0 0 -3
@group(0) @binding(0) var<storage, read> a: vec4<i32>;
@group(0) @binding(1) var<storage, read> b: vec4<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<vec4<i32>, 5>;

@compute @workgroup_size(1)
fn main() {
    out[0] = a + b;
    out[1] = a - b;
    out[2] = a * b;
    out[3] = a / b;
    out[4] = a % b;
}
