// Lanes that break out of a case wait behind the switch.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 82 84 82 84 80 84 80 84
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    switch i % 2u {
        case 0u: {
            if i > 2u {
                break;
            }
            out[i] = subgroupAdd(1u);
        }
        default: {
            out[i] = subgroupAdd(1u);
        }
    }
    out[i] += subgroupAdd(10u);
}
