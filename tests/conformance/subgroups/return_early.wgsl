// Lanes that have returned are not active.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 406 0 406*3 0 26*2
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if i % 4u == 1u {
        return;
    }
    out[i] = subgroupAdd(1u);
    if i > 5u {
        out[i] += subgroupAdd(10u);
        return;
    }
    out[i] += subgroupAdd(100u);
}
