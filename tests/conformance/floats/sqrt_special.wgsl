// Square roots and logarithms at the edges of their domains.
//: in  0:0 f32 0.0 inf -1.0
//: out 0:1 f32 0.0 inf nan   inf 0.0 nan   -inf inf nan   -inf inf nan
@group(0) @binding(0) var<storage, read> x: array<f32, 3>;
@group(0) @binding(1) var<storage, read_write> out: array<array<f32, 3>, 4>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[0][i] = sqrt(x[i]);
    out[1][i] = inverseSqrt(x[i]);
    out[2][i] = log(x[i]);
    out[3][i] = log2(x[i]);
}
