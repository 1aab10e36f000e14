// Vectors of i16 have components of 2 bytes, in operators, swizzles and memory.
//: needs int16
//: in  0:0 i16 1 -2 256 5
//: in  0:1 i16 257 7 -1 _
//: out 0:2 i16 0 5 513 262 5 256 9 9 3 -6 768 15 7 -1 1 5
//: out 0:3 i16 -18 -1
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: vec4<i16>;
@group(0) @binding(1) var<storage, read> b: vec3<i16>;
@group(0) @binding(2) var<storage, read_write> sums: array<vec4<i16>>;
@group(0) @binding(3) var<storage, read_write> scalars: array<i16>;

@compute @workgroup_size(1)
fn main() {
    sums[0] = a + b.zyxx;
    sums[1] = select(a.wzyx, vec4(i16(9)), a > vec4(i16(2)));
    sums[2] = a * i16(3);
    sums[3] = vec4(b.yz, a.xw);
    scalars[0] = dot(a, b.xyzz);
    scalars[1] = sums[3][u32(b.x) % 4u];
}
