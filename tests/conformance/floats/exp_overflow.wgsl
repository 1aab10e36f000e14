// exp and exp2 overflow to infinity and reach zero far below.
//: in  0:0 f32 1000.0 -1000.0 inf -inf
//: out 0:1 f32 inf 0.0 inf 0.0   inf 0.0 inf 0.0
@group(0) @binding(0) var<storage, read> x: array<f32, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<array<f32, 4>, 2>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[0][i] = exp(x[i]);
    out[1][i] = exp2(x[i]);
}
