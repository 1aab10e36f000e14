// The operand is read when the lane comes there, and the result is its own.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 28252*8
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    var x = i;
    let before = subgroupAdd(x);
    x = x + before;
    let after = subgroupAdd(x);
    x = 0u;
    out[i] = before * 1000u + after + x;
}
