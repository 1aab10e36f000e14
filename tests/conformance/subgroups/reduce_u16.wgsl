// subgroupAdd, Mul, Min and Max on u16.
//: needs subgroups int16
//: subgroup-size 8
//: in  0:0 u16 65535 2 3 4 5 6 7 40000
//: out 0:1 u16 40026 40026 40026 40026 40026 40026 40026 40026 54272 54272 54272 54272 54272 54272 54272
//::     54272 2 2 2 2 2 2 2 2 65535 65535 65535 65535 65535 65535 65535 65535
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupAdd(a[i]);
    out[8u + i] = subgroupMul(a[i]);
    out[16u + i] = subgroupMin(a[i]);
    out[24u + i] = subgroupMax(a[i]);
}
