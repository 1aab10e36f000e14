// An else-if is an if in the else.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 81 83*3 84*4
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if i == 0u {
        out[i] = subgroupAdd(1u);
    } else if i < 4u {
        out[i] = subgroupAdd(1u);
    } else {
        out[i] = subgroupAdd(1u);
    }
    out[i] += subgroupAdd(10u);
}
