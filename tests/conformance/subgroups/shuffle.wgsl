// subgroupShuffle takes the value of any lane, for each lane another.
//: needs subgroups
//: subgroup-size 8
//: in  0:0 u32 7 6 5 4 3 2 1 0 0 0 3 3 1 7 7 2
//: out 0:1 u32 107 106 105 104 103 102 101 100 108 108 111 111 109 115 115 110
@group(0) @binding(0) var<storage, read> from_lane: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<u32>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = subgroupShuffle(100u + i, from_lane[i]);
}
