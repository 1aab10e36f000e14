// A matrix of f16 in a uniform buffer has columns of 4 bytes with two rows, 8 with three.
//: needs f16
//: in  0:0 f16 1 2 3 4 5 6 7 _ 8 9 10 _
//: in  0:1 u32 1
//: out 0:2 f16 3 4 10 27
enable f16;

struct Parameters {
    narrow: mat2x2<f16>,
    wide: mat2x3<f16>,
}

@group(0) @binding(0) var<uniform> p: Parameters;
@group(0) @binding(1) var<storage, read> at: u32;
@group(0) @binding(2) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(1)
fn main() {
    out[0] = p.narrow[1][0];
    out[1] = p.narrow[at].y;
    out[2] = p.wide[at][2];
    out[3] = (p.wide * vec2h(1, 2)).z;
}
