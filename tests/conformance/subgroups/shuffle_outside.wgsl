// A shuffle from a lane that the subgroup does not have gives zero.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 u32 8 127 128 0xffffffff 0 0x80000000 3 7
//: out 0:1 u32 0 0 0 0 100 0 103 107 0 0 0 0 104 0 105 100 0 0 0 0 104 0 103 100 0 0 0 0 104 0 0 0
//: deviates lavapipe "lanes outside are open" skip
@group(0) @binding(0) var<storage, read> lane: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    let x = 100u + i;
    out[i] = subgroupShuffle(x, lane[i]);
    out[8u + i] = subgroupShuffleXor(x, lane[i]);
    out[16u + i] = subgroupShuffleUp(x, lane[i]);
    out[24u + i] = subgroupShuffleDown(x, lane[i]);
}
