// The arc cosine on [-1, 1].
//: in  0:0 f32 0.0 0.5 1.0 -1.0 -0.5 0.99 -0.001
//: out 0:1 f32 within ACOS_ABS_6_77E_MINUS_5_OR_INHERITED of 0:0 1.57079632679 1.0471975512 0.0
//:: 3.14159265359 2.09439510239 0.14153940572 1.57179632701
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = acos(a[i]);
}
