// Lanes that call a function together act together in it; others do not take part.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 28 0 28 16 28 0 28 16 28 0 28 16 28 0 28 16 92 0 92 48 92 0 92 48 92 0 92 48 92 0 92 48
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn total(x: u32) -> u32 {
    return subgroupAdd(x);
}

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[2u * i] = total(i);
    if i % 2u == 1u {
        out[2u * i + 1u] = total(i);
    }
}
