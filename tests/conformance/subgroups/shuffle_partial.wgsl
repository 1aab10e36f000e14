// A lane that a last subgroup lacks gives zero.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 102 103 100 101 106 107 104 105 110 0 108
//: deviates lavapipe "missing lanes are open" 0:0 u32 102 103 100 101 106 107 104 105 110 _ 108
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(11)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupShuffleXor(100u + i, 2u);
}
