// subgroupMul on f32.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 f32 0.5 1.0 2.0 -4.0 0.25 1.0 3.0 1.0 -1.0 -1.0 -1.0 -1.0 -1.0 -1.0 -1.0 -1.0
//: out 0:1 f32 -3.0*8 1.0*8
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupMul(a[i]);
}
