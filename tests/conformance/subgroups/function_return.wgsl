// Lanes that return early from a function meet the others behind the call.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 800*2 806*2 846*4
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn count(i: u32) -> u32 {
    if i < 2u {
        return 0u;
    }
    let most = subgroupAdd(1u);
    if i < 4u {
        return most;
    }
    return most + subgroupAdd(10u);
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = count(i);
    out[i] += subgroupAdd(100u);
}
