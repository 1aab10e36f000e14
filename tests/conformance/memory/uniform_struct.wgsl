// A uniform struct with nested struct, matrix and array members at their offsets.
// Offsets: scale 0, inner 16 (direction 16, weight 28), matrix 32, list 64.
//: in  0:0 f32 0.5 0 0 0   1 2 3 4   10 20 30 0  40 50 60 0   u32 7 0 0 0  8 0 0 0
//: out 0:1 f32 0.5 1 2 3 4 30 40 u32 7 8
@group(0) @binding(0) var<uniform> u: Block;
@group(0) @binding(1) var<storage, read_write> out: Flat;

struct Inner {
    direction: vec3<f32>,
    weight: f32,
}

struct Padded {
    @size(16) value: u32,
}

struct Block {
    scale: f32,
    @align(16) inner: Inner,
    matrix: mat2x3<f32>,
    list: array<Padded, 2>,
}

struct Flat {
    floats: array<f32, 7>,
    words: array<u32, 2>,
}

@compute @workgroup_size(1)
fn main() {
    out.floats[0] = u.scale;
    out.floats[1] = u.inner.direction.x;
    out.floats[2] = u.inner.direction.y;
    out.floats[3] = u.inner.direction.z;
    out.floats[4] = u.inner.weight;
    out.floats[5] = u.matrix[0].z;
    out.floats[6] = u.matrix[1].x;
    out.words[0] = u.list[0].value;
    out.words[1] = u.list[1].value;
}
