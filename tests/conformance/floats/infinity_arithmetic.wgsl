// Arithmetic with infinities.
//: in  0:0 f32 inf 1.0 -inf 0.0
//: out 0:1 f32 inf nan inf -inf nan 0.0 -0.0 inf nan nan
@group(0) @binding(0) var<storage, read> x: array<f32, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 10>;

@compute @workgroup_size(1)
fn main() {
    out[0] = x[0] + x[1];
    out[1] = x[0] + x[2];
    out[2] = x[0] - x[2];
    out[3] = x[0] * x[2];
    out[4] = x[0] * x[3];
    out[5] = x[1] / x[0];
    out[6] = x[1] / x[2];
    out[7] = x[1] / x[3];
    out[8] = x[3] / x[3];
    out[9] = x[0] / x[0];
}
