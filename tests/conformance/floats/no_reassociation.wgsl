// Sums and products are evaluated as they are written.
//: in  0:0 f32 0x1p24 1.0 -0x1p24 0x1p127 4.0 0.125
//: out 0:1 f32 0.0 1.0 inf 0x1p126
@group(0) @binding(0) var<storage, read> x: array<f32, 6>;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 4>;

@compute @workgroup_size(1)
fn main() {
    out[0] = x[0] + x[1] + x[2];
    out[1] = x[0] + x[2] + x[1];
    out[2] = x[3] * x[4] * x[5];
    out[3] = x[3] * (x[4] * x[5]);
}
