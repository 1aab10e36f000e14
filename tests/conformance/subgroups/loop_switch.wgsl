// In a loop a break leaves the switch around it, a continue goes to the next iteration.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 1822*8
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    for (var k = 0u; k < 4u; k++) {
        switch (i + k) % 4u {
            case 0u: {
                break;
            }
            case 1u: {
                continue;
            }
            case 2u: {
                out[i] += subgroupAdd(1u);
            }
            default: {
                out[i] += subgroupAdd(10u);
            }
        }
        out[i] += subgroupAdd(100u);
    }
}
