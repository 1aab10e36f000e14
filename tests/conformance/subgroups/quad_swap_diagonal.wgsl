// quadSwapDiagonal exchanges values with the lane across in a quad.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 3 2 1 0 7 6 5 4
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = quadSwapDiagonal(i);
}
