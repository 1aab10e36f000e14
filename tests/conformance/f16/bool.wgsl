// A bool becomes 0 or 1, and an f16 is true unless it is zero.
//: needs f16
//: in  0:0 f16 0.0 -0.0 5.960464477539063e-08 nan -1.0 inf
//: out 0:1 f16 0.0 0.0 1.0 1.0 1.0 1.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f16(bool(a[i]));
}
