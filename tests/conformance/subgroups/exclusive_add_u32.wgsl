// An exclusive sum leaves out the lane itself and begins with 0.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 u32 5 1 2 3 4 5 6 7 4294967295 4294967295 4294967295 4294967295 4294967295 4294967295 4294967295
//::     4294967295
//: out 0:1 u32 0 5 6 8 11 15 20 26 0 4294967295 4294967294 4294967293 4294967292 4294967291 4294967290
//::     4294967289
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupExclusiveAdd(a[i]);
}
