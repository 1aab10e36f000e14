// exp is within 3 + 2 |x| ULP.
//: in  0:0 f32 0.0 1.0 -1.0 10.0 -10.0 80.0 -80.0 0.001
//: out 0:1 f32 within EXP_ULP_3_PLUS_2X of 0:0 1.0 2.71828182846 0.367879441171 22026.4657948
//:: 4.53999297625e-05 5.54062238439e+34 1.80485138785e-35 1.00100050021
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = exp(a[i]);
}
