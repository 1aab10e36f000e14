// f16 addition rounds to the nearest, ties to even, and overflows to infinity.
//: needs f16
//: in  0:0 f16 1.0 2048.0 2050.0 65504.0 65504.0 5.960464477539063e-08 inf 0.5 -65504.0 1.0
//: in  0:1 f16 2.0 1.0 1.0 16.0 15.0 5.960464477539063e-08 -inf -0.5 -65504.0 0.00048828125
//: out 0:2 f16 3.0 2048.0 2052.0 inf 65504.0 1.1920928955078125e-07 nan 0.0 -inf 1.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(10)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] + b[i];
}
