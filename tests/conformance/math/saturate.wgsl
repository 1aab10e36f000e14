// saturate clamps to [0, 1].
//: in  0:0 f32 0.5 -3.0 9.0 inf -0.5 1.0
//: out 0:1 f32 0.5  0.0 1.0 1.0  0.0 1.0
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = saturate(a[i]);
}
