// An exclusive sum of f32.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 f32 0.5 1.0 2.0 4.0 8.0 16.0 32.0 64.0 -1.5 -1.5 -1.5 -1.5 -1.5 -1.5 -1.5 -1.5
//: out 0:1 f32 0.0 0.5 1.5 3.5 7.5 15.5 31.5 63.5 0.0 -1.5 -3.0 -4.5 -6.0 -7.5 -9.0 -10.5
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupExclusiveAdd(a[i]);
}
