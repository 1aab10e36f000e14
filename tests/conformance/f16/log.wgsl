// log of f16: 2^-7 absolute in [0.5, 2], 3 ULP elsewhere.
//: needs f16
//: in  0:0 f16 1.0 0.5 2.0 3.0 1000.0 6.103515625e-05
//: out 0:1 f16 within F16_LOG_ABS_2POW_MINUS_7_OR_ULP_3 of 0:0 0.0 -0.6931471805599453
//:: 0.6931471805599453 1.0986122886681098 6.907755278982137 -9.704060527839234
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = log(a[i]);
}
