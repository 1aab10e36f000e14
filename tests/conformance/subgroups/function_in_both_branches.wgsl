// A function that both branches call runs once for each.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 3*3 5*5
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

fn count() -> u32 {
    return subgroupAdd(1u);
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < 3u {
        out[i] = count();
    } else {
        out[i] = count();
    }
}
