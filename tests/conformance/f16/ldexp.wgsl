// ldexp of f16 scales into subnormals and overflows to infinity.
//: needs f16
//: in  0:0 f16 1.0 1.5 1.0 1.0 -3.0 0.0
//: in  0:1 i32 3 -24 15 16 1 5
//: out 0:2 f16 8.0 1.1920928955078125e-07 32768.0 inf -6.0 0.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = ldexp(a[i], b[i]);
}
