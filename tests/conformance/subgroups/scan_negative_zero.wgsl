// An exclusive sum gives the second lane the value of the first itself, which may be -0.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 f32 -0.0*8
//: out 0:1 f32 0.0 -0.0*7
//: deviates lavapipe "begins with +0, which is as right" 0:1 f32 0.0*8
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupExclusiveAdd(a[i]);
}
