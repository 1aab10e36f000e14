// A lane that is not active gives zero to every lane that reads it.
//: needs subgroups
//: subgroup-size 8
//: out 0:0 u32 0*8 0 103 0 101 0 107 0 105 0*24
//: deviates lavapipe "inactive lanes are open" 0:0 u32 0 _ 0 _ 0 _ 0 _ 0 103 0 101 0 107 0 105 0 _ 0 _ 0 _ 0 _ 0 _ 0 _ 0 _ 0 _ 0 _ 0 _ 0 _ 0 _
@group(0) @binding(0) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = 100u + i;
    if i % 2u == 1u {
        out[i] = subgroupShuffle(x, 7u - i);
        out[8u + i] = subgroupShuffleXor(x, 2u);
        out[16u + i] = subgroupShuffleUp(x, 1u);
        out[24u + i] = subgroupBroadcast(x, 4u);
        out[32u + i] = quadSwapX(x);
    }
}
