// f16 subtraction keeps subnormal results.
//: needs f16
//: in  0:0 f16 1.0 6.103515625e-05 6.103515625e-05 2048.0 -0.0 inf 65504.0 1.0
//: in  0:1 f16 2.0 5.960464477539063e-08 6.103515625e-05 0.5 0.0 1.0 -16.0 0.99951171875
//: out 0:2 f16 -1.0 6.097555160522461e-05 0.0 2048.0 -0.0 inf inf 0.00048828125
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] - b[i];
}
