// Negation turns the sign of an f16 over, that of zero too.
//: needs f16
//: in  0:0 f16 1.0 -0.0 0.0 -inf 5.960464477539063e-08 -65504.0
//: out 0:1 f16 -1.0 0.0 -0.0 inf -5.960464477539063e-08 65504.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = -a[i];
}
