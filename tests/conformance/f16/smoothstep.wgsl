// smoothstep of f16 between 0 and 4, at points where every step is exact.
//: needs f16
//: in  0:0 f16 -1.0 0.0 1.0 2.0 3.0 9.0
//: out 0:1 f16 0.0 0.0 0.15625 0.5 0.84375 1.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = smoothstep(0h, 4h, a[i]);
}
