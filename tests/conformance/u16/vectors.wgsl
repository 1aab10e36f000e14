// Vectors of u16 have components of 2 bytes, in operators, swizzles and memory.
//: needs int16
//: in  0:0 u16 1 65534 256 5
//: in  0:1 u16 257 7 MAX _
//: out 0:2 u16 0 5 513 262 5 9 9 9 3 65530 768 15 7 MAX 1 5
//: out 0:3 u16 65518 MAX
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: vec4<u16>;
@group(0) @binding(1) var<storage, read> b: vec3<u16>;
@group(0) @binding(2) var<storage, read_write> sums: array<vec4<u16>>;
@group(0) @binding(3) var<storage, read_write> scalars: array<u16>;

@compute @workgroup_size(1)
fn main() {
    sums[0] = a + b.zyxx;
    sums[1] = select(a.wzyx, vec4(u16(9)), a > vec4(u16(2)));
    sums[2] = a * u16(3);
    sums[3] = vec4(b.yz, a.xw);
    scalars[0] = dot(a, b.xyzz);
    scalars[1] = sums[3][u32(b.x) % 4u];
}
