// Vectors of i64 have components of 8 bytes, in operators, swizzles and memory.
//: needs int64
//: in  0:0 i64 1 -2 4294967296 5
//: in  0:1 i64 4294967297 7 -1 _
//: out 0:2 i64 0 5 8589934593 4294967302 5 4294967296 9 9 3 -6 12884901888 15 7 -1 1 5
//: out 0:3 i64 -18 -1
@group(0) @binding(0) var<storage, read> a: vec4<i64>;
@group(0) @binding(1) var<storage, read> b: vec3<i64>;
@group(0) @binding(2) var<storage, read_write> sums: array<vec4<i64>>;
@group(0) @binding(3) var<storage, read_write> scalars: array<i64>;

@compute @workgroup_size(1)
fn main() {
    sums[0] = a + b.zyxx;
    sums[1] = select(a.wzyx, vec4(i64(9)), a > vec4(i64(2)));
    sums[2] = a * i64(3);
    sums[3] = vec4(b.yz, a.xw);
    scalars[0] = dot(a, b.xyzz);
    scalars[1] = sums[3][u32(b.x) % 4u];
}
