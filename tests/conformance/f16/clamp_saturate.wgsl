// clamp and saturate of f16.
//: needs f16
//: in  0:0 f16 -2.0 0.25 2.0 70.0
//: out 0:1 f16 -1.0 0.5 3.0 65.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = clamp(a[i], -1h, 64h) + saturate(a[i]);
}
