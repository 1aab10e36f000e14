// Lanes that continue meet the others in the continuing block.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 251*2 250 251*2 250 251*2
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var k = 0u;
    loop {
        if k == 3u {
            break;
        }
        if (i + k) % 3u == 0u {
            continue;
        }
        out[i] += subgroupAdd(1u);
        continuing {
            out[i] += subgroupAdd(10u);
            k++;
        }
    }
}
