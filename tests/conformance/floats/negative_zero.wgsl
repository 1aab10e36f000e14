// The sign of zero is kept by copies, products, quotients and negation, and lost in x - x.
//: in  0:0 f32 -0.0 0.0 -1.0 5.0
//: out 0:1 f32 -0.0 -0.0 0.0 0.0 -inf 0.0 -0.0 0.0
@group(0) @binding(0) var<storage, read> x: array<f32, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 8>;

@compute @workgroup_size(1)
fn main() {
    out[0] = x[0];
    out[1] = x[1] * x[2];
    out[2] = x[0] * x[2];
    out[3] = -x[0];
    out[4] = x[3] / x[0];
    out[5] = x[3] - x[3];
    out[6] = x[0] + x[0];
    out[7] = x[0] + x[1];
}
