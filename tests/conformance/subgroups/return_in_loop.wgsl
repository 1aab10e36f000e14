// Lanes that return in a loop are missing in later iterations and behind it.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 0 68 7 68 13 68*3
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    for (var k = 0u; k < 3u; k++) {
        if i == k * 2u {
            return;
        }
        out[i] += subgroupAdd(1u);
    }
    out[i] += subgroupAdd(10u);
}
