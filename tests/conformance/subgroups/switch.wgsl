// Each case of a switch has lanes of its own; one with several values joins them.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 82 81 83 82*3 83*2
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    switch i {
        case 0u, 5u: {
            out[i] = subgroupAdd(1u);
        }
        case 1u: {
            out[i] = subgroupAdd(1u);
        }
        default: {
            out[i] = subgroupAdd(1u);
        }
        case 7u, 6u, 2u: {
            out[i] = subgroupAdd(1u);
        }
    }
    out[i] += subgroupAdd(10u);
}
