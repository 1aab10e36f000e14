// fract of f16 is x - floor(x).
//: needs f16
//: in  0:0 f16 0.5 -0.25 1.75 -1.75 4.0 1023.5
//: out 0:1 f16 0.5 0.75 0.75 0.25 0.0 0.5
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = fract(a[i]);
}
