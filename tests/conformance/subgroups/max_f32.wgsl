// subgroupMax on f32.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 f32 9.0 8.0 -0.5 7.0 6.0 1000000000.0 5.0 11.0 -2.5 -2.5 -2.5 -2.5 -2.5 -2.5 -2.5 -2.5
//: out 0:1 f32 1000000000.0*8 -2.5*8
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupMax(a[i]);
}
