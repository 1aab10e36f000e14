// abs clears the sign of an f16; sign is -1, 0 or 1.
//: needs f16
//: in  0:0 f16 0.0 -2.0 3.0 -inf 65504.0 -5.960464477539063e-08
//: out 0:1 f16 0.0 1.0 4.0 inf 65504.0 -1.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = abs(a[i]) + sign(a[i]);
}
