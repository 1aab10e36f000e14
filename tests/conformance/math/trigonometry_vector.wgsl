// Trigonometric functions on vectors.
//: in  0:0 f32 0.5 -1.25 3.0 0.1
//: out 0:1 f32 within SIN_ABS_2POW_MINUS_11 0.479425538604 -0.948984619356 0.14112000806 0.0998334181295
//::        f32 within COS_ABS_2POW_MINUS_11 0.87758256189 0.315322362395 -0.9899924966 0.995004165129
//::        f32 within ATAN_ULP_4096 0.463647609001 -0.896055384571 1.2490457724 0.0996686539665
//: out 0:2 f32 within EXP_ULP_3_PLUS_2X of 0:0 1.6487212707 0.28650479686 20.0855369232 1.10517091972
@group(0) @binding(0) var<storage, read> a: vec4<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4<f32>, 3>;
@group(0) @binding(2) var<storage, read_write> exponentials: vec4<f32>;

@compute @workgroup_size(1)
fn main() {
    out[0] = sin(a);
    out[1] = cos(a);
    out[2] = atan(a);
    exponentials = exp(a);
}
