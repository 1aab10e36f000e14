// The branches of an if have lanes of their own, and all meet behind it.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 803*3 850*5
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 3u {
        out[i] = subgroupAdd(1u);
    } else {
        out[i] = subgroupAdd(1u) * 10u;
    }
    out[i] += subgroupAdd(100u);
}
