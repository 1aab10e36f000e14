// dot of integer vectors wraps around.
//: in  0:0 i32 1 MAX -3 65536
//: in  0:1 i32 -5 2 7 65536
//: out 0:2 i32 -7 -28 -28
//: out 0:3 u32 4294967289 4294967268 4294967268
@group(0) @binding(0) var<storage, read> a: vec4<i32>;
@group(0) @binding(1) var<storage, read> b: vec4<i32>;
@group(0) @binding(2) var<storage, read_write> signed: array<i32, 3>;
@group(0) @binding(3) var<storage, read_write> unsigned: array<u32, 3>;

@compute @workgroup_size(1)
fn main() {
    signed[0] = dot(a.xy, b.xy);
    signed[1] = dot(a.xyz, b.xyz);
    signed[2] = dot(a, b);
    let c = vec4<u32>(a);
    let d = vec4<u32>(b);
    unsigned[0] = dot(c.xy, d.xy);
    unsigned[1] = dot(c.xyz, d.xyz);
    unsigned[2] = dot(c, d);
}
