// Lanes meet behind the inner if before those of the outer.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 862*2 860*4 800*2
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 6u {
        if i < 2u {
            out[i] = subgroupAdd(1u);
        }
        out[i] += subgroupAdd(10u);
    }
    out[i] += subgroupAdd(100u);
}
