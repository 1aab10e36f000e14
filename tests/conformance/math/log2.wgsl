// log2 is within 2^-21 near 1 and 3 ULP elsewhere.
//: in  0:0 f32 1.0 2.0 0.5 1.1 8.0 0x1.79ca1p-67 0x1.93e594p99
//: out 0:1 f32 within LOG2_ABS_2POW_MINUS_21_OR_ULP_3 of 0:0 0.0 1.0 -1.0 0.13750355502 3.0
//:: -66.4385619435 99.6578428683
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = log2(a[i]);
}
