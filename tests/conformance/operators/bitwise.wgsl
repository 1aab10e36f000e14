// Bitwise and, or, exclusive or and complement work on every bit of i32 and u32 alike.
//: in  0:0 u32 0xff00ff00 0 MAX
//: in  0:1 u32 0xff00ff0 0x12345678 0xaaaaaaaa
//: out 0:2 u32 0xf000f00 0xfff0fff0 0xf0f0f0f0 0xff00ff 0 0x12345678 0x12345678 MAX 0xaaaaaaaa MAX 0x55555555 0
//: out 0:3 i32 251662080 -983056 -252645136 16711935 0 305419896 305419896 -1 -1431655766 -1 1431655765 0
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> unsigned: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> signed: array<vec4<i32>>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    unsigned[i] = vec4(a[i] & b[i], a[i] | b[i], a[i] ^ b[i], ~a[i]);
    let x = bitcast<i32>(a[i]);
    let y = bitcast<i32>(b[i]);
    signed[i] = vec4(x & y, x | y, x ^ y, ~x);
}
