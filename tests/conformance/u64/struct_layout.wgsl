// u64 is aligned to 8 bytes, vec2<u64> to 16, and arrays of vec3<u64> step by 32.
//: needs int64
//: in  0:0 u32 1 _ u64 0x200000003 u32 4 _ u64 _ i64 5 -6 u64 _ _ 7 8 9 _ 10 11 12 _
//: out 0:1 u32 1 0 u64 0x200000003 u32 4 0 u64 0 i64 5 -6 u64 0 0 7 8 9 0 10 11 12 0
//: out 0:2 u64 0x200000003 18446744073709551610 12 266
struct Mixed {
    a: u32,
    b: u64,
    c: u32,
    d: vec2<i64>,
    e: array<vec3<u64>, 2>,
}

@group(0) @binding(0) var<storage, read> m: Mixed;
@group(0) @binding(1) var<storage, read_write> copy: Mixed;
@group(0) @binding(2) var<storage, read_write> out: array<u64>;

@compute @workgroup_size(1)
fn main() {
    copy = m;
    out[0] = m.b;
    out[1] = u64(m.d.y);
    out[2] = m.e[1].z;
    out[3] = dot(m.e[0], m.e[1]);
}
