// quadSwapY exchanges values with the lane above or below in a quad.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 2 3 0 1 6 7 4 5
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = quadSwapY(i);
}
