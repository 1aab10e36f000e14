// Scans of f64, which begin with 0 and with 1.
//: needs subgroups f64
//: subgroup-size 8
//: in  0:0 f64 0.5 1.0 2.0 -4.0 8.0 0.25 3.0 -1.5
//: out 0:1 f64 0.0 0.5 1.5 3.5 -0.5 7.5 7.75 10.75 1.0 0.5 0.5 1.0 -4.0 -32.0 -8.0 -24.0 0.5 1.5 3.5 -0.5 7.5
//::     7.75 10.75 9.25 0.5 0.5 1.0 -4.0 -32.0 -8.0 -24.0 36.0
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupExclusiveAdd(a[i]);
    out[8u + i] = subgroupExclusiveMul(a[i]);
    out[16u + i] = subgroupInclusiveAdd(a[i]);
    out[24u + i] = subgroupInclusiveMul(a[i]);
}
