// Scans of u16, which begin with 0 and with 1.
//: needs subgroups int16
//: subgroup-size 8
//: in  0:0 u16 65535 2 3 4 5 6 7 40000
//: out 0:1 u16 0 65535 1 4 8 13 19 26 1 65535 65534 65530 65512 65416 64816 60496 65535 1 4 8 13 19 26 40026
//::     65535 65534 65530 65512 65416 64816 60496 54272
enable wgpu_int16;

@group(0) @binding(0) var<storage, read> a: array<u16>;
@group(0) @binding(1) var<storage, read_write> out: array<u16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupExclusiveAdd(a[i]);
    out[8u + i] = subgroupExclusiveMul(a[i]);
    out[16u + i] = subgroupInclusiveAdd(a[i]);
    out[24u + i] = subgroupInclusiveMul(a[i]);
}
