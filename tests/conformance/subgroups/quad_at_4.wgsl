// A subgroup of 4 is one quad.
//: needs subgroups
//: subgroup-size 4
//: out 0:0 u32 111 110 113 112 515 514
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(6)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = quadSwapX(10u + i) + 100u * quadBroadcast(i, 1u);
}
