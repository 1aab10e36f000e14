// f16 remainder is x - y * trunc(x / y).
//: needs f16
//: in  0:0 f16 7.0 -7.0 7.0 5.5 1.0 -9.0
//: in  0:1 f16 2.0 2.0 -2.0 2.0 4.0 3.0
//: out 0:2 f16 1.0 -1.0 1.0 1.5 1.0 0.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read> b: array<f16>;
@group(0) @binding(2) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] % b[i];
}
