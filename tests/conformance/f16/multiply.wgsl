// f16 multiplication rounds once, into subnormals too.
//: needs f16
//: in  0:0 f16 3.0 0.0999755859375 256.0 6.103515625e-05 9.5367431640625e-07 9.5367431640625e-07
//:: 2.86102294921875e-06 -0.0
//: in  0:1 f16 5.0 10.0 256.0 0.5 0.0625 0.03125 0.03125 5.0
//: out 0:2 f16 15.0 1.0 inf 3.0517578125e-05 5.960464477539063e-08 0.0 1.1920928955078125e-07 -0.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] * b[i];
}
