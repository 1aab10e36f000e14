// x + 0, x * 0, x - x and x / x are not folded: NaN, infinities and -0 show the difference.
//: in  0:0 f32 -0.0 nan inf -2.0
//: out 0:1 f32 0.0 nan inf -2.0   -0.0 nan nan -0.0   0.0 nan nan 0.0   nan nan nan 1.0
//: deviates lavapipe "folds x + 0 into x, x * 0 and x - x into 0" 0:1 f32 -0.0 =*3 0.0*4 0.0*4 =*4
@group(0) @binding(0) var<storage, read> x: array<f32, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<array<f32, 4>, 4>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[0][i] = x[i] + 0.0;
    out[1][i] = x[i] * 0.0;
    out[2][i] = x[i] - x[i];
    out[3][i] = x[i] / x[i];
}
