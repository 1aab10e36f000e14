// Iterations are counted from the entry of the loop, whatever its variables say.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 88*8
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    for (var k = i; k < i + 2u; k++) {
        out[i] = out[i] * 10u + subgroupAdd(1u);
    }
}
