// The hyperbolic tangent.
//: in  0:0 f32 0.0 0.5 1.0 -1.0 5.0 -10.0
//: out 0:1 f32 within TANH_ABS_1E_MINUS_5_OR_INHERITED of 0:0 0.0 0.46211715726 0.761594155956
//:: -0.761594155956 0.999909204263 -0.999999995878
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = tanh(a[i]);
}
