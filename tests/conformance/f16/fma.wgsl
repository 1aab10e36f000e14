// fma of f16 at points where the result is exact.
//: needs f16
//: in  0:0 f16 2.0 0.5 -3.0 256.0
//: in  0:1 f16 3.0 0.5 4.0 128.0
//: in  0:2 f16 1.0 0.25 12.0 -64.0
//: out 0:3 f16 7.0 0.5 0.0 32704.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read> c: array<f16>;
@group(0) @binding(3) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = fma(a[i], b[i], c[i]);
}
