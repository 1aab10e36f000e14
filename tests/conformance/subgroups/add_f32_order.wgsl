// Sums of f32 are taken in the order of lanes, one after the other.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 f32 16777216.0 1.0 1.0 1.0 -16777216.0 1.0 3.0 0.5
//: out 0:1 f32 4.5*8 16777216.0*4 0.0 1.0 4.0 4.5
//: deviates lavapipe "the order is open" skip
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupAdd(a[i]);
    out[8u + i] = subgroupInclusiveAdd(a[i]);
}
