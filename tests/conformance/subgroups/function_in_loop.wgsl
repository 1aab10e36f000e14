// A function called in a loop: lanes of the same iteration are together in it.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 0 64 102 126 0 64 102 126
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn work(x: u32) -> u32 {
    var sum = 0u;
    if x % 2u == 1u {
        sum = subgroupAdd(1u);
    }
    return sum + subgroupAdd(10u);
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    for (var k = 0u; k < i % 4u; k++) {
        out[i] += work(i + k);
    }
}
