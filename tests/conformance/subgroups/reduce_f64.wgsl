// subgroupAdd, Mul, Min and Max on f64.
//: needs subgroups f64
//: subgroup-size 8
//: in  0:0 f64 0.5 1.0 2.0 -4.0 8.0 0.25 3.0 -1.5
//: out 0:1 f64 9.25 9.25 9.25 9.25 9.25 9.25 9.25 9.25 36.0 36.0 36.0 36.0 36.0 36.0 36.0 36.0 -4.0 -4.0 -4.0
//::     -4.0 -4.0 -4.0 -4.0 -4.0 8.0 8.0 8.0 8.0 8.0 8.0 8.0 8.0
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupAdd(a[i]);
    out[8u + i] = subgroupMul(a[i]);
    out[16u + i] = subgroupMin(a[i]);
    out[24u + i] = subgroupMax(a[i]);
}
