// quadSwapX exchanges values with the lane beside in a quad.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 1 0 3 2 5 4 7 6
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = quadSwapX(i);
}
