// sin of f16 is within 2^-7.
//: needs f16
//: in  0:0 f16 0.0 0.5 1.0 -1.5 3.0 -3.0
//: out 0:1 f16 within F16_ABS_2POW_MINUS_7 0.0 0.479425538604203 0.8414709848078965
//:: -0.9974949866040544 0.1411200080598672 -0.1411200080598672
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = sin(a[i]);
}
