// In a uniform, columns of two rows are 8 bytes apart, of three or four rows 16, and matrices follow.
// Offsets: small 0, odd 16, tall 64, list 96 with elements of 48 bytes.
//: in  0:0 f32 1 2 3 4   11 12 13 -1  14 15 16 -1  17 18 19 -1   21 22 23 24  25 26 27 28
//::     31 32 33 -1 34 35 36 -1 37 38 39 -1   41 42 43 -1 44 45 46 -1 47 48 49 -1
//: out 0:1 f32 3 4   14 15 16   25 26 27 28   44 45 46   33 36 39
@group(0) @binding(0) var<uniform> u: Block;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 15>;

struct Block {
    small: mat2x2<f32>,
    odd: mat3x3<f32>,
    tall: mat2x4<f32>,
    list: array<mat3x3<f32>, 2>,
}

@compute @workgroup_size(1)
fn main() {
    let one = u32(u.small[0].x);
    out[0] = u.small[one].x;
    out[1] = u.small[one].y;
    for (var i = 0u; i < 3u; i++) {
        out[2u + i] = u.odd[one][i];
        out[9u + i] = u.list[one][1][i];
        out[12u + i] = u.list[0][i].z;
    }
    for (var i = 0u; i < 4u; i++) {
        out[5u + i] = u.tall[one][i];
    }
}
