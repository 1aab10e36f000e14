// Nested calls: lanes that came through different call sites do not take part in one operation together.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 8004*2 8040*2 8080*4
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn inner() -> u32 {
    return subgroupAdd(1u);
}

fn outer(i: u32) -> u32 {
    var sum = inner();
    if i < 4u {
        sum = inner();
    } else {
        sum = inner();
    }
    return sum + sum;
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 2u {
        out[i] = outer(i);
    } else {
        out[i] = outer(i) * 10u;
    }
    out[i] += inner() * 1000u;
}
