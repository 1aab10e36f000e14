// An inclusive product of u32.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 u32 5 1 2 3 4 5 6 7 65537 65537 65537 65537 65537 65537 65537 65537
//: out 0:1 u32 5 5 10 30 120 600 3600 25200 65537 131073 196609 262145 327681 393217 458753 524289
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupInclusiveMul(a[i]);
}
