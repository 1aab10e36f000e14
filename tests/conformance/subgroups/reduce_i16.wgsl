// subgroupAdd, Mul, Min and Max on i16.
//: needs subgroups int16
//: subgroup-size 8
//: in  0:0 i16 32767 2 -3 4 -5 6 7 -32768
//: out 0:1 i16 10 10 10 10 10 10 10 10 0 0 0 0 0 0 0 0 -32768 -32768 -32768 -32768 -32768 -32768 -32768
//::     -32768 32767 32767 32767 32767 32767 32767 32767 32767
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupAdd(a[i]);
    out[8u + i] = subgroupMul(a[i]);
    out[16u + i] = subgroupMin(a[i]);
    out[24u + i] = subgroupMax(a[i]);
}
