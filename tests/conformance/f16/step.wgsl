// step is 1 where the edge is not above.
//: needs f16
//: in  0:0 f16 0.0 0.5 1.0 -1.0
//: out 0:1 f16 0.0 1.0 1.0 0.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = step(0.5h, a[i]);
}
