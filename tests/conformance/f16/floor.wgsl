// floor of f16; -0 stays -0.
//: needs f16
//: in  0:0 f16 0.5 -0.5 1.5 2.5 -2.5 -0.0 65504.0 1023.5
//: out 0:1 f16 0.0 -1.0 1.0 2.0 -3.0 -0.0 65504.0 1023.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = floor(a[i]);
}
