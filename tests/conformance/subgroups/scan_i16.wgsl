// Scans of i16, which begin with 0 and with 1.
//: needs subgroups int16
//: subgroup-size 8
//: in  0:0 i16 32767 2 -3 4 -5 6 7 -32768
//: out 0:1 i16 0 32767 -32767 32766 -32766 32765 -32765 -32758 1 32767 -2 6 24 -120 -720 -5040 32767 -32767
//::     32766 -32766 32765 -32765 -32758 10 32767 -2 6 24 -120 -720 -5040 0
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<i16>;
@group(0) @binding(1) var<storage, read_write> out: array<i16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupExclusiveAdd(a[i]);
    out[8u + i] = subgroupExclusiveMul(a[i]);
    out[16u + i] = subgroupInclusiveAdd(a[i]);
    out[24u + i] = subgroupInclusiveMul(a[i]);
}
