// Component and column indices out of range in storage read zero and write nothing.
//: in  0:0 u32 1 2 3 9  4 5 6 9
//: in  0:1 f32 1 2  3 4  9 9
//: in  0:2 u32 2 3 4 MAX
//: out 0:3 u32 3 0 0 0
//: out 0:4 f32 0 0 0 0
//: out 0:0 u32 1 2 50 9  4 5 6 9
//: out 0:1 f32 1 2  3 4  9 9
//: deviates lavapipe "the index is held to the buffer, not to the vector or matrix inside it" 0:3 u32 = 9 4 =
//: deviates lavapipe "the index is held to the buffer, not to the vector or matrix inside it" 0:4 f32 9 =*3
//: deviates lavapipe "the index is held to the buffer, not to the vector or matrix inside it" 0:0 u32 =*3 51 52 =*3
//: deviates lavapipe "the index is held to the buffer, not to the vector or matrix inside it" 0:1 f32 =*4 50*2
@group(0) @binding(0) var<storage, read_write> a: array<vec3<u32>, 2>;
@group(0) @binding(1) var<storage, read_write> m: Guarded;
@group(0) @binding(2) var<storage, read> at: array<u32, 4>;
@group(0) @binding(3) var<storage, read_write> components: array<u32, 4>;
@group(0) @binding(4) var<storage, read_write> columns: array<f32, 4>;

struct Guarded {
    m: mat2x2<f32>,
    guard: vec2<f32>,
}

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 4u; i++) {
        components[i] = a[0][at[i]];
        columns[i] = m.m[at[i]].x;
    }
    for (var i = 0u; i < 4u; i++) {
        a[0][at[i]] = 50u + i;
        m.m[at[i]] = vec2(50.0);
    }
}
