// Every compound assignment stores the result of its operator.
//: in  0:0 i32 13 13 13 13 13 13 13 13 13 -13
//: in  0:1 i32 5
//: out 0:0 i32 18 8 65 2 3 5 13 8 416 -1
@group(0) @binding(0) var<storage, read_write> x: array<i32, 10>;
@group(0) @binding(1) var<storage, read> y: i32;

@compute @workgroup_size(1)
fn main() {
    x[0] += y;
    x[1] -= y;
    x[2] *= y;
    x[3] /= y;
    x[4] %= y;
    x[5] &= y;
    x[6] |= y;
    x[7] ^= y;
    x[8] <<= u32(y);
    x[9] >>= u32(y);
}
